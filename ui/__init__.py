"""Everything that knows Streamlit.

pages        one thin file a page: read inputs, call one function, show
state        the opened workspace, shared by all sessions; who is working
frame        heading, messages, and the one guard against our own errors
text         untrusted text as safe HTML: escaped, query terms marked, long texts folded
grading      the grading page's keys: one press grades, saves and moves on
jobs         long work: how far it is, a way to stop it, what came of it
charts, tables, numbers      figures with n and interval, the same everywhere
downloads    what a page shows, to take away: tables as CSV, charts as PNG and SVG
dashboards   the Dashboard: filters, what is counted and kept, figures, charts, queries
imports, event_imports, uploads, releases, leaderboards, overview, start, ab_plans, ab_tests,
ab_sheets    what single pages show
"""
