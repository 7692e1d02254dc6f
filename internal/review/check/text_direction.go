package check

import (
	"slices"
	"unicode"
)

// directions returns the direction controls that a line does not need. Each text is judged by itself,
// because a control left open at its end reorders the code after it (Unicode UAX #9; UTR #36, section 3.1).
func (l *textLine) directions() map[int]bool {
	flagged := map[int]bool{}
	for i, r := range l.runes {
		if l.of[i] < 0 && invisible(r) == &bidi {
			flagged[i] = true
		}
	}
	parts, last := map[int][]int{}, map[int]int{} // for strings with holes: their characters, and their last part
	for n, s := range l.spans {
		last[s.text] = n
	}
	for n, s := range l.spans {
		var at []int
		for i := s.start; i < s.end; i++ {
			at = append(at, i)
		}
		if s.text == 0 {
			l.directionsOf(at, s, flagged)
			continue
		}
		parts[s.text] = append(parts[s.text], at...)
		if last[s.text] == n {
			l.directionsOf(parts[s.text], s, flagged)
		}
	}
	return flagged
}

// opened is a control that waits for its end.
type opened struct {
	at      int
	isolate bool
}

// directionsOf judges the characters of one text. s is its last part.
func (l *textLine) directionsOf(text []int, s span, flagged map[int]bool) {
	rightToLeft := slices.ContainsFunc(text, func(i int) bool { return isRightToLeft(l.runes[i]) })
	var open []opened
	flag := func(at ...int) {
		for _, i := range at {
			flagged[i] = true
		}
	}
	for n, i := range text {
		switch r := l.runes[i]; r {
		case lrm, rlm, alm:
			repeated := n >= 2 && invisible(l.at(i-1)) == &bidi && invisible(l.at(i-2)) == &bidi
			if !rightToLeft || repeated || r != lrm && l.leaks(i, s) {
				flag(i)
			}
		case lro, rlo:
			flag(i)
			open = append(open, opened{i, false})
		case lre, rle:
			open = append(open, opened{i, false})
		case lri, rli, fsi:
			open = append(open, opened{i, true})
		case pdf:
			if len(open) == 0 || open[len(open)-1].isolate {
				flag(i)
				continue
			}
			from := open[len(open)-1].at
			open = open[:len(open)-1]
			if flagged[from] || !l.embeds(from, i, rightToLeft) {
				flag(from, i)
			}
		case pdi:
			k := len(open) - 1
			for k >= 0 && !open[k].isolate {
				k--
			}
			if k < 0 {
				flag(i)
				continue
			}
			for _, o := range open[k+1:] {
				flag(o.at)
			}
			from := open[k].at
			open = open[:k]
			if !l.isolates(from, i, s, rightToLeft) {
				flag(from, i)
			}
		}
	}
	for _, o := range open {
		flag(o.at)
	}
}

// leaks reports whether a right-to-left mark reorders characters after its text: only neutral characters
// stand between it and a digit or a right-to-left letter outside (UAX #9, rules N1 and W7). After a
// right-to-left letter the mark has no effect.
func (l *textLine) leaks(i int, s span) bool {
	if s.prose {
		return false
	}
	for j := i - 1; j >= s.start; j-- {
		if isRightToLeft(l.runes[j]) {
			return false
		}
		if unicode.IsLetter(l.runes[j]) {
			break
		}
	}
	for j := i + 1; j < len(l.runes); j++ {
		switch r := l.runes[j]; {
		case unicode.IsDigit(r), isRightToLeft(r):
			return j >= s.end
		case unicode.IsLetter(r):
			return false
		}
	}
	return false
}

// embeds reports whether a closed embedding has the content that needs it.
func (l *textLine) embeds(from, to int, rightToLeft bool) bool {
	if l.runes[from] == rle {
		return slices.ContainsFunc(l.runes[from:to], isRightToLeft)
	}
	return rightToLeft && to > from+1
}

// isolates reports whether a closed isolate has the content that needs it: a part of another direction, or
// a placeholder whose direction is unknown.
func (l *textLine) isolates(from, to int, s span, rightToLeft bool) bool {
	inside := l.runes[from+1 : to]
	placeholder := slices.ContainsFunc(inside, func(r rune) bool { return r == '{' || r == '%' || r == '$' || r == '<' })
	if l.runes[from] == rli {
		return slices.ContainsFunc(inside, isRightToLeft) || placeholder && rightToLeft
	}
	if !slices.ContainsFunc(inside, func(r rune) bool { return invisible(r) == nil && !unicode.IsSpace(r) }) {
		return false
	}
	return rightToLeft || placeholder || s.sample
}
