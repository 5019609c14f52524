#!/bin/sh
# Plays some legal action: a small generator of its own, begun from the bot's seed, says which.
set -f # an action may look like a file pattern
while read -r word rest; do
    case $word in
    tourney) echo "bot wants=legal name=pebble version=1.0" ;;
    game)
        seed=${rest#*seed=}
        seed=000000${seed%% *}
        # 64 bits without a sign are too many for a shell, so the last six digits must do; the 1 before
        # them keeps a leading zero from meaning octal.
        state=$((1${seed#"${seed%??????}"} % 1000003))
        echo ready
        ;;
    legal) legal=$rest ;;
    go)
        state=$(((state * 1103 + 7) % 1000003))
        # shellcheck disable=SC2086 # the blanks are meant to part the actions
        set -- $legal
        shift $((state % $#))
        echo "move $1"
        ;;
    quit) exit 0 ;;
    esac
done
