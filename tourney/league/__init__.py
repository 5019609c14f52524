"""The league: a folder that takes in submissions, plays every night, and keeps seasons."""
