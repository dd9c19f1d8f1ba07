from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.core.management.base import CommandError
from django.db import migrations, models
from django.db.models.functions import Lower


def refuse_shared_addresses(apps: Any, _editor: Any) -> None:
    """Name the accounts that share an address, if any do: an admin has to say whose it is."""
    people = apps.get_model("annotators", "User").objects.exclude(email="").order_by()
    shared = people.values(address=Lower("email")).annotate(
        names=ArrayAgg("username", order_by="username")
    )
    wrong = [
        f"{each['address']} ({', '.join(each['names'])})"
        for each in shared.filter(names__len__gt=1).order_by("address")
    ]
    if wrong:
        raise CommandError(
            "An address belongs to one account only. In the version before, change or clear "
            f"the address of all accounts but one, then upgrade again: {'; '.join(wrong)}"
        )


class Migration(migrations.Migration):
    dependencies = [
        ("annotators", "0010_passwords_are_chosen_by_their_owner"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.RunPython(refuse_shared_addresses, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                Lower("email"),
                condition=models.Q(("email", ""), _negated=True),
                name="an_address_has_one_account",
                violation_error_message="Another account has this address.",
            ),
        ),
    ]
