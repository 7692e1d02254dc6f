package check

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	xbidi "golang.org/x/text/unicode/bidi"
)

// textLine is a line split into characters.
type textLine struct {
	runes []rune
	spans []span // parts that hold text, in characters, in order
	of    []int  // for each character the index of its span, -1 in code
}

// splitLine splits a line into characters. spans are in bytes. Bytes that are not UTF-8 are one character
// each.
func splitLine(line string, spans []span) *textLine {
	l := &textLine{}
	index := make([]int, len(line)+1) // index of the character at each byte
	for at := 0; at < len(line); {
		r, size := utf8.DecodeRuneInString(line[at:])
		for i := range size {
			index[at+i] = len(l.runes)
		}
		l.runes, l.of = append(l.runes, r), append(l.of, -1)
		at += size
	}
	index[len(line)] = len(l.runes)
	for _, s := range spans {
		s.start, s.end = index[s.start], index[s.end]
		for i := s.start; i < s.end; i++ {
			l.of[i] = len(l.spans)
		}
		l.spans = append(l.spans, s)
	}
	return l
}

func (l *textLine) at(i int) rune {
	if i < 0 || i >= len(l.runes) {
		return 0
	}
	return l.runes[i]
}

// base returns the character before i to which marks, joiners and selectors belong.
func (l *textLine) base(i int) rune {
	for i--; i >= 0; i-- {
		if r := l.runes[i]; !unicode.Is(unicode.M, r) {
			return r
		}
	}
	return 0
}

// joining are the scripts whose letters joiners connect or separate (Unicode, chapters 9, 12 to 14; UAX
// #31, section 2.3).
var joining = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic,
	unicode.Manichaean,
	unicode.Phags_Pa, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Psalter_Pahlavi, unicode.Sogdian, unicode.Chorasmian,
	unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
	unicode.Sinhala, unicode.Myanmar,
	unicode.Khmer, unicode.Tibetan, unicode.Balinese, unicode.Javanese, unicode.Sundanese, unicode.Lepcha, unicode.Limbu,
	unicode.Meetei_Mayek, unicode.Syloti_Nagri,
	unicode.Saurashtra, unicode.Chakma, unicode.Brahmi, unicode.Kaithi, unicode.Sharada, unicode.Grantha, unicode.Newa,
	unicode.Tirhuta, unicode.Siddham,
	unicode.Modi, unicode.Takri, unicode.Tai_Tham, unicode.Kharoshthi, unicode.Buginese, unicode.Thaana}

// unspaced are the scripts that write words without spaces between them.
var unspaced = []*unicode.RangeTable{unicode.Khmer, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Tai_Tham, unicode.Tai_Le,
	unicode.New_Tai_Lue,
	unicode.Tai_Viet, unicode.Tibetan, unicode.Javanese, unicode.Balinese}

// isNeeded reports whether the script around an invisible zero-width character needs it. Outside texts only
// emoji need one.
func (l *textLine) isNeeded(i int) bool {
	r, prev, next := l.runes[i], l.at(i-1), l.at(i+1)
	if r == zwj && l.pictureBefore(i) && pictographic(next) {
		return true
	}
	if l.of[i] < 0 || invisible(prev) == &zero && prev != softHyphen {
		return false
	}
	switch r {
	case zwj, zwnj:
		return unicode.In(l.base(i), joining...) || l.at(i-1) == 0x0640 || unicode.In(next, joining...)
	case zwsp:
		return unicode.In(prev, unspaced...) || unicode.In(next, unspaced...)
	case mongolianVowelSep:
		return unicode.Is(unicode.Mongolian, l.base(i)) || unicode.Is(unicode.Mongolian, prev)
	case softHyphen:
		return l.hyphenates(i)
	case 0x115F, 0x1160: // part of old Korean syllables (Unicode, section 18.6)
		return isJamo(prev) || isJamo(next)
	}
	return false
}

func isJamo(r rune) bool {
	return r >= 0x1100 && r <= 0x11FF && r != 0x115F && r != 0x1160 || r >= 0xA960 && r <= 0xA97C || r >= 0xD7B0 && r <= 0xD7FB
}

// Bounds of hyphenated words in strings of code. A word counts as hyphenated text beside other words, or if
// it is long enough to be broken. A short one is a key that a program compares.
const (
	minHyphenated = 12
	minNoun       = 8 // with a capital, as in German
	minPart       = 2
)

// hyphenates reports whether a soft hyphen stands within a word of a text.
func (l *textLine) hyphenates(i int) bool {
	letter := func(i int) bool {
		r := l.at(i)
		return unicode.IsLetter(r) || unicode.Is(unicode.M, r)
	}
	part := func(step int) (n int) { // letters next to i in one direction
		for j := i + step; letter(j); j += step {
			n++
		}
		return n
	}
	before, after := part(-1), part(1)
	if before < minPart || after < minPart {
		return false
	}
	s := l.spans[l.of[i]]
	if s.prose {
		return true
	}
	word, noun := 0, false
	for j := i; j >= s.start && (letter(j) || l.runes[j] == softHyphen); j-- {
		if letter(j) {
			word++
			noun = unicode.IsUpper(l.runes[j])
		}
	}
	for j := i + 1; j < s.end && (letter(j) || l.runes[j] == softHyphen); j++ {
		if letter(j) {
			word++
		}
	}
	for _, r := range l.runes[s.start:s.end] {
		if unicode.IsSpace(r) || r > unicode.MaxASCII && unicode.IsLetter(r) {
			return true
		}
	}
	return word >= minHyphenated || noun && word >= minNoun
}

// isSelector reports whether a character selects a variant of the one before it.
func isSelector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF || r >= 0x180B && r <= 0x180D || r == 0x180F
}

// wellFormed reports whether a selector or a tag character is part of a sequence that Unicode defines: UTS
// #51 (emoji, flags), UTS #37 (ideographs), and the standardized variants of other characters.
func (l *textLine) wellFormed(i int) bool {
	r, prev, next := l.runes[i], l.at(i-1), l.at(i+1)
	switch {
	case !isSelector(r):
		return l.flag(i)
	case isSelector(prev), isSelector(next):
		return false // one character has one variant
	case r >= 0xE0100:
		// The registered collections use only the first selectors; the others could carry hidden bytes.
		return unicode.Is(unicode.Han, prev) && r <= 0xE011F
	case r == 0xFE0F && (prev >= '0' && prev <= '9' || prev == '#' || prev == '*'):
		return next == 0x20E3
	case r == 0xFE0E || r == 0xFE0F:
		return pictographic(prev) || prev == 0x00A9 || prev == 0x00AE
	case r < 0xFE00:
		return unicode.Is(unicode.Mongolian, l.base(i))
	case prev >= 0x13000 && prev <= 0x143FA: // hieroglyphs
		return r <= 0xFE06
	case r == 0xFE00 && prev == '0':
		return !unicode.IsLetter(next) && !unicode.IsLetter(l.at(i-2)) // a slashed zero, in a number
	}
	return r <= 0xFE02 && (unicode.In(prev, unicode.Han, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean) ||
		prev >= 0x2190 && prev <= 0x2BFF && unicode.In(prev, unicode.Sm, unicode.So) || isWidePunctuation(prev))
}

func isWidePunctuation(r rune) bool {
	switch r {
	case 0x3001, 0x3002, 0xFF01, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F, 0x2018, 0x2019, 0x201C, 0x201D:
		return true
	}
	return false
}

// Bounds of the tag characters of a flag: two letters of a region and up to three characters of its
// subdivision (UTS #51, annex C; ISO 3166-2).
const minFlagTags, maxFlagTags = 3, 5

// flag reports whether a tag character is part of the flag of a subdivision.
func (l *textLine) flag(i int) bool {
	first := i
	for first > 0 && isTag(l.runes[first-1]) && i-first <= maxFlagTags {
		first--
	}
	var code []byte
	for j := first; j-first <= maxFlagTags; j++ {
		switch r := l.at(j); {
		case r == cancelTag:
			return l.at(first-1) == blackFlag && len(code) >= minFlagTags && !isTag(l.at(j+1)) && isRegion(string(code[:2]))
		case r >= 0xE0030 && r <= 0xE0039, r >= 0xE0061 && r <= 0xE007A:
			code = append(code, byte(r-0xE0000))
		default:
			return false
		}
	}
	return false
}

func isTag(r rune) bool { return r >= 0xE0000 && r <= 0xE007F }

func isRegion(code string) bool {
	r, err := language.ParseRegion(code)
	return err == nil && r.IsCountry()
}

// pictureBefore reports whether an emoji ends before i.
func (l *textLine) pictureBefore(i int) bool {
	r := l.at(i - 1)
	if r == 0xFE0F {
		r = l.at(i - 2)
	}
	return pictographic(r) || r == cancelTag
}

// pictographic reports whether a character, or a variant of it, is shown as a picture.
func pictographic(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2190 && r <= 0x2BFF && unicode.In(r, unicode.So, unicode.Sm) ||
		r == 0x203C || r == 0x2049 || r == 0x2122 || r == 0x2139 || r == 0x3030 || r == 0x303D || r == 0x3297 || r == 0x3299
}

// isRightToLeft reports whether a character is a letter of a script that is written from right to left.
func isRightToLeft(r rune) bool {
	if r < 0x0590 || invisible(r) != nil {
		return false
	}
	p, _ := xbidi.LookupRune(r)
	return p.Class() == xbidi.R || p.Class() == xbidi.AL
}
