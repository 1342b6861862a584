"""Metrics, breakdowns, reports."""
