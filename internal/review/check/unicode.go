package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// hiddenKind is a family of invisible characters.
type hiddenKind struct {
	rule             string
	title, say, more wording.Key // title, explanation, and an explanation that lists further lines
	severity         domain.Severity
}

// The families: bidirectional controls (Unicode UAX #9, section 2; CVE-2021-42574), tag characters and
// variation selectors (they carry hidden text), and zero-width or blank characters.
var (
	bidi = hiddenKind{"assay/unicode-bidi", wording.TitleBidi, wording.SayBidi, wording.SayBidiMore, domain.High}
	tags = hiddenKind{"assay/unicode-tag", wording.TitleTag, wording.SayTag, wording.SayTagMore, domain.High}
	zero = hiddenKind{"assay/unicode-zero-width", wording.TitleZeroWidth, wording.SayZeroWidth, wording.SayZeroWidthMore, domain.Medium}
)

// The characters that the rules of this package name.
const (
	zwsp, zwnj, zwj               = 0x200B, 0x200C, 0x200D
	lrm, rlm, alm                 = 0x200E, 0x200F, 0x061C
	lre, rle, pdf, lro, rlo       = 0x202A, 0x202B, 0x202C, 0x202D, 0x202E
	lri, rli, fsi, pdi            = 0x2066, 0x2067, 0x2068, 0x2069
	softHyphen, mongolianVowelSep = 0x00AD, 0x180E
	blackFlag, cancelTag          = 0x1F3F4, 0xE007F
)

// invisible returns the family of a character by itself, nil for a visible one.
func invisible(r rune) *hiddenKind {
	switch {
	case r < softHyphen:
		return nil
	case r >= lre && r <= rlo, r >= lri && r <= pdi, r == alm, r == lrm, r == rlm:
		return &bidi
	case r >= 0xE0000 && r <= 0xE0FFF, isSelector(r):
		return &tags
	case r >= zwsp && r <= zwj, r >= 0x2060 && r <= 0x2064, r >= 0x206A && r <= 0x206F, r == 0xFEFF, r == softHyphen, r == mongolianVowelSep,
		r >= 0xFFF9 && r <= 0xFFFB, r == 0x3164, r == 0x115F, r == 0x1160, r == 0xFFA0, r >= 0x1D173 && r <= 0x1D17A:
		return &zero
	}
	return nil
}

func hasInvisible(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return invisible(r) != nil }) >= 0
}

// Hidden reports whether a text for people has invisible characters that its script does not need.
func Hidden(s string) bool {
	for line := range strings.SplitSeq(s, "\n") {
		if found := false; hasInvisible(line) {
			walkHidden(line, []span{{end: len(line), prose: true}}, func(*hiddenKind, rune) { found = true })
			if found {
				return true
			}
		}
	}
	return false
}

// walkHidden calls fn for every invisible character of a line that its script does not need there. Spans
// are parts of the line that hold text; the rest is code. A line beyond maxLine is judged in pieces.
func walkHidden(line string, spans []span, fn func(*hiddenKind, rune)) {
	for len(line) > maxLine {
		cut := maxLine
		for cut > maxLine-utf8.UTFMax && !utf8.RuneStart(line[cut]) {
			cut--
		}
		var piece []span
		for _, s := range spans {
			if s.start < cut {
				s.end = min(s.end, cut)
				piece = append(piece, s)
			}
		}
		walkPiece(line[:cut], piece, fn)
		line, spans = line[cut:], shifted(spans, cut)
	}
	walkPiece(line, spans, fn)
}

func walkPiece(line string, spans []span, fn func(*hiddenKind, rune)) {
	if !hasInvisible(line) {
		return
	}
	l := splitLine(line, spans)
	flagged := l.directions()
	for i, r := range l.runes {
		switch k := invisible(r); k {
		case nil:
		case &bidi:
			if flagged[i] {
				fn(k, r)
			}
		case &tags:
			if !l.wellFormed(i) {
				fn(k, r)
			}
		default:
			if !l.isNeeded(i) {
				fn(k, r)
			}
		}
	}
}

// visible writes hidden characters as <U+202E>, so that a quotation cannot deceive or carry anything.
func visible(s string) string {
	if !Hidden(s) {
		return s
	}
	return escaped(s)
}

func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if invisible(r) != nil {
			fmt.Fprintf(&b, "<U+%04X>", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hiddenSeen holds the lines of a file with characters of one family.
type hiddenSeen struct {
	kind  *hiddenKind
	lines []hiddenLine
}

// hiddenLine is a line with the hidden characters of one family.
type hiddenLine struct {
	number int
	text   string
	runes  map[rune]bool
}

// hiddenUnicode reports the lines with characters of each family, as [perPlace] divides them.
func hiddenUnicode(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	suspect := false
	if err := added(ctx, f, func(l diff.Line) { suspect = suspect || hasInvisible(l.Text) }); err != nil || !suspect {
		return checkResult{}, err
	}
	spansOf, err := spanFinder(ctx, f, src)
	if err != nil {
		return checkResult{}, err
	}
	var order []*hiddenSeen
	err = added(ctx, f, func(l diff.Line) {
		text := l.Text
		if !hasInvisible(text) || f.Class == diff.ClassDocs && !diff.Instructions(f.Path) && hasLoneMark(text) {
			return
		}
		spans := spansOf(l)
		if cut := strings.TrimPrefix(text, "\uFEFF"); l.New == 1 && cut != text { // a byte order mark is legal there
			spans = shifted(spans, len(text)-len(cut))
			text = cut
		}
		walkHidden(text, spans, func(k *hiddenKind, r rune) {
			i := slices.IndexFunc(order, func(s *hiddenSeen) bool { return s.kind == k })
			if i < 0 {
				i = len(order)
				order = append(order, &hiddenSeen{kind: k})
			}
			s := order[i]
			if len(s.lines) == 0 || s.lines[len(s.lines)-1].number != l.New {
				s.lines = append(s.lines, hiddenLine{l.New, clip.Line(l.Text), map[rune]bool{}})
			}
			s.lines[len(s.lines)-1].runes[r] = true
		})
	})
	var out checkResult
	for _, s := range order {
		severity := s.kind.severity
		if (f.Class == diff.ClassDocs || f.Class == diff.ClassData) && !diff.Instructions(f.Path) {
			severity--
		}
		for _, lines := range perPlace(s.lines) {
			anchor := Place(f, lines[0].number, lines[0].number)
			anchor.Quote = escaped(anchor.Quote)
			characters, numbers, texts := map[rune]bool{}, []int{}, []string{}
			for _, l := range lines {
				maps.Copy(characters, l.runes)
				numbers, texts = append(numbers, l.number), append(texts, l.text)
			}
			out.seen = append(out.seen, sightingOf(domain.Finding{
				Origin: domain.OriginStatic, RuleID: s.kind.rule, Category: domain.CategorySecurity, Severity: severity,
				Title:       wording.English(s.kind.title),
				Explanation: s.kind.explain(names(characters), otherLines(numbers)), Anchor: anchor,
				Subject: strings.Join(texts, "\n"), FirstPlace: texts[0],
			}))
		}
	}
	return out, err
}

// hasLoneMark reports whether a left-to-right mark is the only invisible character of a line. It does not
// turn text around.
func hasLoneMark(line string) bool {
	return strings.Count(line, string(rune(lrm))) == 1 && !hasInvisible(strings.Replace(line, string(rune(lrm)), "", 1))
}

// explain names the characters that were found, and their lines after the first.
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
	return joinWords(out)
}
