"""Django's PostgreSQL backend over the embedded server: ENGINE = "config.embedded_postgres"."""
