from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotators", "0003_a_text_size_half_as_large_again"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="time_zone",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
    ]
