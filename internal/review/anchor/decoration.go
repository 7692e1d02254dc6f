package anchor

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
)

// Bounds of quotations that do not stand in the code letter by letter (design choices).
const (
	minBare    = 8        // least characters without decoration that identify a place far from the claim
	nearClaim  = 3        // lines from the claim within which shorter ones count
	maxElided  = 60       // lines that an ellipsis stands for
	maxLeftOut = 16 << 10 // bytes that an ellipsis stands for
	maxPieces  = 10       // pieces between ellipses
)

// Decorations that models put around quoted code.
var (
	breakTag = regexp.MustCompile(`(?i)<br\s*/?>`)
	codeTag  = regexp.MustCompile(`(?i)</?(?:code|pre|ins|del|add|added|removed|line|mark|kbd|samp|tt|b|strong|em|i|u|span|quote)` +
		`(?:\s[^<>\n]*)?>`)
	diffLine  = regexp.MustCompile("(?m)^[ \t]*(?:(?:```|~~~)[^\n`]*|diff --git .*|(?:---|\\+\\+\\+) [^ \n]+|index [0-9a-f]+\\.\\..*)$")
	hunkLine  = regexp.MustCompile(`(?m)^[ \t]*@@[^@\n]*@@.*$`)
	hunkMark  = regexp.MustCompile(`(?m)^[ \t]*@@[^@\n]*@@`)
	lineLabel = regexp.MustCompile(`(?mi)^[ \t>*•]*(?:- )?(?:` +
		`[\[(]?\s*(?:(?:in|at|on)\s+)?(?:lines?|ln|l)\.?\s*#?\s*\d+(?:\s*[-–,]\s*\d+)?\s*[\])]?\s*[:|.)–-]*` + // Line 2: (line 2)
		`|[\[(]\s*#?\d+(?:\s*[-–]\s*\d+)?\s*[\])]\s*[:|]*` + // [2] (2)
		`|#?\d+(?:\s*[-–]\s*\d+)?\s*[).:|→>]+` + // 2) 2. 2:
		`|(?:[\w.@~-]+[/\\])*[\w.@-]+\s*(?:[:#@]\s*L?|[,(]?\s*lines?\s*)\d+(?:[-–:]L?\d+)*\)?\s*[:|]*` + // path:2:
		`)[ \t]*(?:[-+][ \t]*)?(?:\|[ \t]*)?`)
	quoteMark   = regexp.MustCompile(`(?m)^[ \t]*>[ \t]?`)
	commentTail = regexp.MustCompile(`(?m)(?:(?:^|[ \t]+)(?:#|//|--|/\*|;;|<!--|\{/\*)` +
		`|[ \t]*(?:<--|<-+ |<=+ |<<<|←|⟵|⬅|👈|❌|⚠|\^\^)).*$`)
	codeSpan = regexp.MustCompile("`+([^`\n]+)`+|«([^»\n]+)»|“([^”\n]+)”")
	ellipsis = regexp.MustCompile(`(?i)(?:(?://|#|--|/\*|<!--)\s*)?[\[(<{]?\s*(?:\.{3,}|…)` +
		`(?:\s*(?:snip\w*|omitted|truncated|rest of [\w ]{0,30}` +
		`|(?:more|other|unchanged|existing|\d+) (?:code|lines?)[\w ]{0,20})\s*(?:\.{3,}|…)?)?` +
		`\s*[\])>}]?(?:\s*(?:\*/|-->))?`)
)

// marks stand around code in prose.
const marks = " \t\r\n`*\"'«»“”„‟‹›|"

var escapedSpace = strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\t`, "\t", `\"`, `"`)

// undecorated returns the normalised forms of a quotation without the decorations of models: tags, Markdown
// marks, hunk headers, line labels, remarks behind lines, and sentences around marked code. Forms of the
// last kind are in spans.
func undecorated(quote string) (out, spans []string) {
	add := func(q string) {
		for _, v := range variants(q) {
			if letters(v) >= minQuote && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	quote = breakTag.ReplaceAllString(clip.Bytes(quote, maxQuote), "\n")
	if !strings.Contains(quote, "\n") {
		quote = escapedSpace.Replace(quote)
	}
	if strings.Contains(quote, "%20") {
		if plain, err := url.PathUnescape(quote); err == nil {
			quote = plain
		}
	}
	bare := diffLine.ReplaceAllString(codeTag.ReplaceAllString(quote, ""), "")
	if code := hunkLine.ReplaceAllString(bare, ""); strings.TrimSpace(code) != "" {
		add(hunkMark.ReplaceAllString(bare, ""))
		bare = code
	} else {
		bare = hunkMark.ReplaceAllString(bare, "")
	}
	bare = quoteMark.ReplaceAllString(bare, "")
	for _, q := range []string{bare, lineLabel.ReplaceAllString(strings.Trim(bare, marks), "")} {
		add(q)
		q = strings.Trim(q, marks)
		add(q)
		add(strings.ReplaceAll(q, "`", ""))
		q = strings.TrimRight(strings.Trim(commentTail.ReplaceAllString(q, ""), marks), ";,")
		add(q)
		add(strings.ReplaceAll(q, "`", ""))
	}
	longest := ""
	for _, m := range codeSpan.FindAllStringSubmatch(bare, maxPieces) {
		if span := normalizeQuote(m[1] + m[2] + m[3]); letters(span) > letters(longest) {
			longest = span
		}
	}
	if letters(longest) >= minBare && !slices.Contains(out, longest) {
		spans = []string{longest}
	}
	return out, spans
}

// Pieces returns the parts of a normalised quotation between its ellipses, nil if it has no ellipsis. Parts
// too short to identify a place are left out.
func Pieces(quote string) []string { return pieces(quote, false) }

// pieces implements [Pieces]; broken leaves out parts of words next to an ellipsis.
func pieces(quote string, broken bool) (out []string) {
	at := ellipsis.FindAllStringIndex(quote, maxPieces)
	if at == nil {
		return nil
	}
	from := 0
	for i := range len(at) + 1 {
		to := len(quote)
		if i < len(at) {
			to = at[i][0]
		}
		p := quote[from:to]
		if broken && i < len(at) {
			p = strings.TrimRightFunc(p, word)
		}
		if broken && i > 0 {
			p = strings.TrimLeftFunc(p, word)
		}
		if p = normalizeQuote(p); letters(p) >= minQuote {
			out = append(out, p)
		}
		if i < len(at) {
			from = at[i][1]
		}
	}
	return out
}

// elided looks for a normalised quotation with ellipses: its pieces, in their order, as [text.lenient]
// does.
func (t *text) elided(quote string, first, last int) match {
	for _, broken := range []bool{false, true} {
		if list := pieces(quote, broken); len(list) > 0 {
			if m := t.foldedText().pieced(list, first, last); m.found {
				return m
			}
		}
	}
	return match{}
}

// pieced looks for pieces that follow each other, nearest to the claim.
func (t *text) pieced(list []string, first, last int) (best match) {
	long := 0
	for i, p := range list {
		list[i] = tight(fold(p))
		long = max(long, letters(list[i]))
	}
	for from, sites := 0, 0; sites < maxSites && list[0] != ""; sites++ {
		i := strings.Index(t.joined[from:], list[0])
		if i < 0 {
			break
		}
		start := from + i
		from = start + len(list[0])
		m := t.matchAt(start, list[0])
		if m.found {
			m = t.extendOver(m, from, list[1:])
		}
		far := distance(m, first, last)
		if m.found && (long >= minBare || far <= nearClaim) && (!best.found || far < distance(best, first, last)) {
			best = m
		}
	}
	return best
}

// extendOver widens a match, which ends at an offset, to pieces behind it.
func (t *text) extendOver(m match, end int, list []string) match {
	for _, p := range list {
		until := min(t.offset(m.last+maxElided), end+maxLeftOut, len(t.joined))
		next := match{}
		for at := end; !next.found && at < until; {
			i := strings.Index(t.joined[at:until], p)
			if i < 0 {
				return match{}
			}
			next, at = t.matchAt(at+i, p), at+i+len(p)
			end = at
		}
		if !next.found {
			return match{}
		}
		m.last = next.last
	}
	return m
}
