"""Common first names in several languages. Knows no Django.

A column with such a name is likely a person's. Names that are also words of files, such as months,
are left out.
"""

from .spelling import fold

NAMES = """
    aaron abdul abel abigail ada adam adele adrian agnes ahmed aicha aisha akira alan albert
    alejandro alena alessandro alex alexander alexandra alexis alfred ali alice alicia alina aline
    amal amanda amara amelie amina amir amira amy ana anais anders andre andrea andreas andrei
    andrew aneta angela angelika anita anja anke ann anna annabelle anne annette annika antoine
    anton antonia antonio anya arjun armin arne arthur astrid aurelie axel ayse aziz barbara basil
    bastian beata beate beatrice ben benedikt benjamin benoit bernard bernd bettina bianca bilal
    birgit bjorn bo bob bogdan boris brian brigitte britta bruno camila camille carl carla carlos
    carmen carol caroline catherine cecile celine cem chandra charles charlotte chen chiara chloe
    chris christa christian christina christine christoph christophe claire clara claudia clement
    colin corinna cristina cyril dagmar daniel daniela danielle david deborah denis deniz dennis
    derya diana diego dieter dimitri dirk dmitri dominik dominique donald dora dorothea ebru
    eduardo edward ekaterina elena eleni elias elif elisa elisabeth elizabeth ella elodie elsa
    emil emilia emilie emily emir emma emmanuel emre enrico enzo eric erik erika ernst esra esther
    etienne eugen eva evelyn ewa fabian fabien fabio fabrice farid fatih fatima fatma felicia
    felix ferdinand fiona florian francesca francesco francois francoise frank franz frauke fred
    frederic frederik frida friedrich gabor gabriel gabriela gabriele gaby georg george gerald
    gerd gerhard gertrud gilles giorgio giovanni gisela giulia greta gudrun guido guillaume gunter
    gustav hakan hamza hanna hannah hannes hans harald harry hasan hassan heidi heike heiko
    heinrich heinz helen helena helene helga helmut hendrik henning henri henrik henry herbert
    hermann hiroshi holger hugo husein ian ibrahim ida igor ilse imran ines inga inge ingo ingrid
    ioana irena irene irina isabel isabella isabelle ivan jack jacob jacqueline jacques jakob
    jakub james jan jana jane janina janine jannik jason javier jean jennifer jens jeremy jessica
    jim jing joachim joan joana joel johan johann johanna johannes john jonas jonathan jorg jorge
    jose josef joseph josephine juan judith julia julian juliane julie julien juliette jurgen
    justine jutta kai kamil karen karim karin karl karla karsten katarina katarzyna kate katharina
    katja katrin kemal kenji kerstin kevin khaled kim klara klaus konrad konstantin kristina kurt
    lara lars laszlo laura laure laurent lea leandro leila lena leo leon leonie leonora leyla li
    liam lili lina linda linus lisa liza lorenz lorenzo louis louisa louise luc luca lucas lucia
    lucie ludwig luis luisa lukas luke lydia madeleine magda magdalena maja malik manfred manon
    manuel manuela mara marc marcel marco marcus margaret margarete maria marianne marie marija
    marina mario marion marius markus marlene marta martha martin martina mary maryam mateo
    mateusz mathieu mathilde matteo matthew matthias maurice max maxime maximilian mehdi mehmet
    mei melanie mia michael michaela michal michel michelle miguel mikael mila milan milena mina
    mira mirjam mohamed mohammed monica monika monique moritz murat mustafa nadia nadine nadja nam
    naomi natalia natalie nathalie nathan nele nicholas nick nico nicola nicolas nicole niklas
    nikolai nils nina noah noemi nora norbert nour nuria olaf ole oleg olga olivia olivier omar
    oscar oskar otto pablo paolo pascal patricia patrick patrik paul paula pauline pavel pedro
    peggy peter petra philipp philippe pia pierre piotr priya quentin rachel rafael rahel raj ralf
    ramon raphael rebecca regina reinhard remi renate rene ricardo richard rita robert roberto
    robin roger roland roman ron ronja rosa rosalie rudolf ruth sabine sabrina said salma sam
    samir samira samuel sandra sandro sanjay sara sarah sascha sebastian selim selin selma serge
    sergei sergio sibylle sigrid silke silvia simon simone sina sinan sofia sofie sonja sophia
    sophie stefan stefanie stephan stephanie stephen steve steven susan susanna susanne sven
    svenja sylvia sylvie tamara tanja tariq tatjana teresa tessa thea theo theresa thierry thomas
    thorsten tim timo tina tobias tom tomas tomasz tony torsten tristan ulrich ulrike ursula ute
    uwe valentin valentina valerie vanessa vera veronika victor victoria viktor vincent vincenzo
    viola vladimir volker walter wanda wei werner wilhelm william wolfgang xavier yan yann yannick
    yara yasmin yasmine yuki yusuf yves yvonne zara zeynep zoe
"""
GIVEN = frozenset(NAMES.split())


def is_first_name(name: str) -> bool:
    """Tell whether a name is a common first name."""
    return fold(name) in GIVEN
