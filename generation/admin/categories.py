"""Categories, subcategories and institutions."""

from django.contrib import admin

from generation.admin.base import Admin
from generation.models import Category, Institution, Subcategory


@admin.register(Category)
class CategoryAdmin(Admin[Category]):
    list_display = ["name"]
    search_fields = ["name"]


@admin.register(Subcategory)
class SubcategoryAdmin(Admin[Subcategory]):
    list_display = ["name", "slug", "category"]
    list_filter = ["category"]
    list_select_related = ["category"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}


@admin.register(Institution)
class InstitutionAdmin(Admin[Institution]):
    list_display = ["name", "slug", "quality_threshold"]
    search_fields = ["name", "slug"]
    prepopulated_fields = {"slug": ["name"]}
