"""The lab's own sign-in: people come by a provider of OpenID Connect that knows them."""
