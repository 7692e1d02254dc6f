package check

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// hiddenKind is a family of characters that a reader does not see.
type hiddenKind struct {
	rule             string
	title, say, more wording.Key // the title, the explanation, and one that names further lines
	severity         domain.Severity
}

// The families: bidirectional controls (Unicode UAX #9, section 2; CVE-2021-42574),
// tag characters and supplementary variation selectors (they carry hidden ASCII),
// and zero-width or blank characters.
var (
	bidi = hiddenKind{"assay/unicode-bidi", wording.TitleBidi, wording.SayBidi, wording.SayBidiMore, domain.High}
	tags = hiddenKind{"assay/unicode-tag", wording.TitleTag, wording.SayTag, wording.SayTagMore, domain.High}
	zero = hiddenKind{"assay/unicode-zero-width", wording.TitleZeroWidth, wording.SayZeroWidth, wording.SayZeroWidthMore, domain.Medium}
)

// hidden returns the family of a character in its neighbourhood, nil for a
// visible one and for uses that writing systems and emoji need.
func hidden(prev, r, next rune) *hiddenKind {
	switch {
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069, r == 0x061C, r == 0x200E, r == 0x200F:
		return &bidi
	case r >= 0xE0000 && r <= 0xE007F:
		return &tags
	case r >= 0xE0100 && r <= 0xE01EF:
		if unicode.Is(unicode.Han, prev) {
			return nil // variants of ideographs (Unicode UTS #37)
		}
		return &tags
	case r == 0x200C || r == 0x200D:
		if prev >= 0x0590 && next >= 0x0590 { // joins in Arabic and Indic scripts, and emoji
			return nil
		}
		return &zero
	case r == 0x200B, r >= 0x2060 && r <= 0x2064, r == 0xFEFF, r == 0x00AD, r == 0x180E, r >= 0xFFF9 && r <= 0xFFFB,
		r == 0x3164, r == 0x115F, r == 0x1160, r == 0xFFA0, r >= 0x206A && r <= 0x206F:
		return &zero
	}
	return nil
}

// Hidden reports whether a text has characters that a reader does not see.
func Hidden(s string) bool {
	found := false
	walkHidden(s, func(*hiddenKind, rune) { found = true })
	return found
}

func walkHidden(s string, fn func(*hiddenKind, rune)) {
	runes := []rune(flags.Replace(s))
	for i, r := range runes {
		if r < 0xAD {
			continue
		}
		var prev, next rune
		if i > 0 {
			prev = runes[i-1]
		}
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		if k := hidden(prev, r, next); k != nil {
			fn(k, r)
		}
	}
}

// flags takes out the three emoji that are made of tag characters and are in
// general use (Unicode UTS #51, annex C).
var flags = strings.NewReplacer(
	"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "",
	"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", "",
	"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F", "",
)

// visible writes hidden characters as <U+202E>, so that a quotation cannot
// deceive or carry anything.
func visible(s string) string {
	if !Hidden(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r >= 0xAD && hidden(0, r, 0) != nil {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hiddenUnicode gives one finding per family and file, at the first line.
func hiddenUnicode(ctx context.Context, f *diff.File, _ Source) (looked, error) {
	type seen struct {
		kind  *hiddenKind
		lines []int
		runes map[rune]bool
	}
	var order []*seen
	err := added(ctx, f, func(l diff.Line) {
		text := l.Text
		if l.New == 1 {
			text = strings.TrimPrefix(text, "\uFEFF") // a byte order mark is legal there
		}
		walkHidden(text, func(k *hiddenKind, r rune) {
			var s *seen
			for _, o := range order {
				if o.kind == k {
					s = o
				}
			}
			if s == nil {
				s = &seen{kind: k, runes: map[rune]bool{}}
				order = append(order, s)
			}
			s.runes[r] = true
			if len(s.lines) == 0 || s.lines[len(s.lines)-1] != l.New {
				s.lines = append(s.lines, l.New)
			}
		})
	})
	var out looked
	for _, s := range order {
		severity := s.kind.severity
		if f.Class == diff.ClassDocs || f.Class == diff.ClassData {
			severity--
		}
		out.seen = append(out.seen, sightingOf(domain.Finding{
			Origin: domain.OriginStatic, RuleID: s.kind.rule, Category: domain.CategorySecurity, Severity: severity, Title: wording.English(s.kind.title),
			Explanation: s.kind.explain(names(s.runes), others(s.lines)), Anchor: place(f, s.lines[0], s.lines[0]),
		}))
	}
	return out, err
}

// explain says what characters were found, and on which lines beside the first.
func (k *hiddenKind) explain(characters, others string) string {
	if others == "" {
		return wording.English(k.say, characters)
	}
	return wording.English(k.more, characters, others)
}

func names(set map[rune]bool) string {
	var out []string
	for r := range set {
		out = append(out, fmt.Sprintf("U+%04X", r))
	}
	return list(out)
}
