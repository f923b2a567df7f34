"""Clients of the three kinds of people: an admin, a reviewer and an outsider."""

from django.contrib.auth.models import Group, User
from django.test import Client

from review import groups


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def admin() -> Client:
    return signed_in(User.objects.create_superuser("mk", password="secret"))


def a_reviewer(username: str = "rs") -> User:
    groups.seed()
    user = User.objects.create_user(username, password="secret")
    user.groups.add(Group.objects.get(name=groups.REVIEWER))
    return user


def an_adjudicator(username: str = "ad") -> User:
    groups.seed()
    user = User.objects.create_user(username, password="secret")
    user.groups.add(Group.objects.get(name=groups.ADJUDICATOR))
    return user


def reviewer() -> Client:
    return signed_in(a_reviewer())


def outsider() -> Client:
    return Client()
