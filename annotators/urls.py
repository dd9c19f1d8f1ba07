"""URLs of the rating desk and of everything around it."""

from django.urls import path

from . import home, inbox, my_work as work
from .accounts import join, personal_data, profile
from .desk import corrections as ratings, practice, preview, try_panel, views as desk

app_name = "annotators"
PRACTICE = "projects/<slug:slug>/practice"
EXAMPLE = f"{PRACTICE}/<int:number>/<int:place>"
TRY = "rubric-drafts/<int:pk>/try/<int:number>"

desk_pages = [
    path("projects/<slug:slug>/desk/", desk.desk, name="desk"),
    path("projects/<slug:slug>/desk/start/", desk.start, name="start"),
    path("projects/<slug:slug>/desk/<int:lease>/open/", desk.uncover, name="uncover"),
    path("projects/<slug:slug>/desk/<int:lease>/verdict/", desk.verdict, name="verdict"),
    path("projects/<slug:slug>/desk/<int:lease>/draft/", desk.draft, name="draft"),
    path("projects/<slug:slug>/desk/<int:lease>/texts/", desk.texts, name="texts"),
    path("projects/<slug:slug>/desk/<int:lease>/submit/", desk.submit, name="submit"),
    path("projects/<slug:slug>/desk/<int:lease>/skip/", desk.skip, name="skip"),
    path("projects/<slug:slug>/desk/<int:lease>/flag/", desk.flag, name="flag"),
    path("projects/<slug:slug>/desk/<int:lease>/renew/", desk.renew, name="renew"),
    path("projects/<slug:slug>/desk/<int:lease>/corpus/", desk.corpus, name="corpus"),
]
practice_pages = [
    path(f"{PRACTICE}/", practice.practice, name="practice"),
    path(f"{PRACTICE}/start/", practice.practice_start, name="practice_start"),
    path(f"{PRACTICE}/<int:number>/", practice.practice_round, name="practice_round"),
    path(f"{EXAMPLE}/", practice.practice_example, name="practice_example"),
    path(f"{EXAMPLE}/verdict/", practice.practice_verdict, name="practice_verdict"),
    path(f"{EXAMPLE}/submit/", practice.practice_submit, name="practice_submit"),
    path(f"{EXAMPLE}/texts/", practice.practice_texts, name="practice_texts"),
    path(f"{EXAMPLE}/corpus/", practice.practice_corpus, name="practice_corpus"),
    path(f"{EXAMPLE}/disagree/", practice.practice_disagree, name="practice_disagree"),
]
preview_pages = [
    path("projects/<slug:slug>/preview/", preview.preview, name="preview"),
    path("projects/<slug:slug>/preview/verdict/", preview.preview_verdict, name="preview_verdict"),
    path("projects/<slug:slug>/preview/submit/", preview.preview_submit, name="preview_submit"),
    path("projects/<slug:slug>/preview/texts/", preview.preview_texts, name="preview_texts"),
    path("projects/<slug:slug>/preview/corpus/", preview.preview_corpus, name="preview_corpus"),
    path(f"{TRY}/", preview.preview, name="try_draft"),
    path(f"{TRY}/verdict/", preview.preview_verdict, name="try_verdict"),
    path(f"{TRY}/submit/", preview.preview_submit, name="try_submit"),
    path(f"{TRY}/texts/", preview.preview_texts, name="try_texts"),
    path(f"{TRY}/corpus/", preview.preview_corpus, name="try_corpus"),
    path(f"{TRY}/panel/", try_panel.try_panel, name="try_panel"),
    path("rubric-drafts/<int:pk>/try/paste/", try_panel.try_paste, {"number": 1}, name="try_paste"),
]
rating_pages = [
    path("projects/<slug:slug>/ratings/", ratings.ratings, name="ratings"),
    path("projects/<slug:slug>/ratings/last/", ratings.last, name="last_rating"),
    path("projects/<slug:slug>/ratings/<int:pk>/", ratings.rating, name="rating"),
    path("projects/<slug:slug>/ratings/<int:pk>/verdict/", ratings.verdict, name="rating_verdict"),
    path("projects/<slug:slug>/ratings/<int:pk>/draft/", ratings.draft, name="rating_draft"),
    path("projects/<slug:slug>/ratings/<int:pk>/correct/", ratings.correct, name="correct"),
]
urlpatterns = [
    path("", home.home, name="home"),
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/read/", inbox.read_all, name="read_all"),
    path("inbox/<int:pk>/", inbox.open_notice, name="open_notice"),
    path("join/<str:token>/", join.join, name="join"),
    path("profile/", profile.profile, name="profile"),
    path("profile/sessions/end/", profile.end_session, name="end_session"),
    path("profile/data/", personal_data.kept_data, name="kept_data"),
    path("people/<int:pk>/erase/", personal_data.erase, name="erase_person"),
    path("work/", work.work, name="work"),
    path("work/own-data.csv", work.my_data, name="own_data"),
    *desk_pages,
    *practice_pages,
    *preview_pages,
    *rating_pages,
]
