package anchor

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Fingerprinter computes fingerprints of findings of one change. It keeps what it read of each file. It is
// safe for concurrent use.
type Fingerprinter struct {
	repository string
	set        *diff.Set
	source     Source

	mu    sync.Mutex
	files map[string]*normFile
}

// normFile is a version of a file in the normal form for fingerprints.
type normFile struct {
	outline *structure.Outline
	code    textLines // lines with tokens
	raw     textLines // lines with any text, with single spaces
}

// textLines are numbered lines of a file.
type textLines struct {
	numbers []int // ascending
	texts   []string
}

// add appends a line, unless its text is "". Call it in the order of the lines.
func (l *textLines) add(number int, text string) {
	if text != "" {
		l.numbers, l.texts = append(l.numbers, number), append(l.texts, text)
	}
}

// NewFingerprinter returns a fingerprinter for a repository's change. repository is our identifier, not its
// name, because the name may change.
func NewFingerprinter(repository string, set *diff.Set, src Source) *Fingerprinter {
	return &Fingerprinter{repository: repository, set: set, source: src, files: map[string]*normFile{}}
}

// Of computes the fingerprints of a finding whose anchor was validated (section 9). Line numbers and words
// of a model do not enter them:
//
//	Exact   = "v1:" sha256("v1", repository, path at the merge base, rule, symbol, tokens of the lines, ordinal among equal, subject)
//	Context = "v1:" sha256("v1", repository, path at the merge base, symbol, family of the rule's category)
//
// A finding outside the diff has the tokens of its quotation, and no ordinal. The subject is a part only if the finding has one. The
// tokens of a secret are redacted. The digest of its value under the newest key is the last part of Exact instead, if the value is
// known.
//
// An error is the source's (other than fs.ErrNotExist) or the context's.
func (p *Fingerprinter) Of(ctx context.Context, f *domain.Finding) (domain.Fingerprints, error) {
	a := f.Anchor
	path, language, snippet, ordinal := a.Path, "", "", 0
	if file := p.set.File(a.Path); file != nil {
		path, language = file.CanonicalPath(), file.Language
		if a.Level == domain.AnchorLine {
			n, err := p.read(ctx, file, a.Side)
			if err != nil {
				return domain.Fingerprints{}, err
			}
			snippet, ordinal = n.snippet(a)
		}
	}
	if a.Level != domain.AnchorLine {
		snippet = quoted(language, a.Quote)
	}
	var no [8]byte
	binary.BigEndian.PutUint64(no[:], uint64(ordinal))
	exact := []string{"v1", p.repository, path, f.RuleID, a.Symbol, snippet, string(no[:])}
	if f.Subject != "" {
		exact = append(exact, "subject", f.Subject)
	}
	if len(f.SecretDigests) > 0 {
		exact = append(exact, f.SecretDigests[0])
	}
	return domain.Fingerprints{
		Exact:   digest(exact...),
		Context: digest("v1", p.repository, path, a.Symbol, familyOf(f)),
	}, nil
}

// UnderOlderKeys returns the exact fingerprints of a secret under the older instance keys, oldest first. It returns nil for
// findings that are not secrets. Errors are those of [Fingerprinter.Of].
func (p *Fingerprinter) UnderOlderKeys(ctx context.Context, f domain.Finding) (out []string, err error) {
	for len(f.SecretDigests) > 1 {
		f.SecretDigests = f.SecretDigests[1:]
		prints, err := p.Of(ctx, &f)
		if err != nil {
			return nil, err
		}
		out = append(out, prints.Exact)
	}
	slices.Reverse(out)
	return out, nil
}

// WithoutValue returns the exact fingerprint of a secret as versions made it that did not know its value. Errors are those
// of Of.
func (p *Fingerprinter) WithoutValue(ctx context.Context, f domain.Finding) (string, error) {
	f.SecretDigests = nil
	prints, err := p.Of(ctx, &f)
	return prints.Exact, err
}

// digest hashes parts with their lengths, so that different lists never give the same input.
func digest(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return "v1:" + hex.EncodeToString(h.Sum(nil))
}

// familyOf returns the family of the category that a finding's rule has. A model may give one defect another category at
// each head, so its category counts only if the rule does not name the kind of defect.
func familyOf(f *domain.Finding) string {
	kind, ofModel := strings.CutPrefix(f.RuleID, "llm/")
	group, key, _ := strings.Cut(kind, "/")
	switch {
	case !ofModel:
		return Family(f.Category)
	case group == "other":
		return Family(domain.Category(key))
	case group == "correctness", group == "reliability":
		return Family(domain.CategoryBug)
	}
	return Family(domain.Category(group))
}

// Family groups categories that a model may confuse.
func Family(c domain.Category) string {
	switch c {
	case domain.CategoryBug, domain.CategoryConcurrency, domain.CategoryPerformance, domain.CategoryStaticAnalysis:
		return "defect"
	case domain.CategorySecurity, domain.CategorySecret:
		return "security"
	case domain.CategoryRule:
		return "rule"
	}
	return "quality"
}

func (p *Fingerprinter) read(ctx context.Context, f *diff.File, side domain.Side) (*normFile, error) {
	key := string(side) + ":" + f.Path
	p.mu.Lock()
	n := p.files[key]
	p.mu.Unlock()
	if n != nil {
		return n, nil
	}
	t, err := readSide(ctx, f, side, p.source)
	if err != nil {
		return nil, err
	}
	n = normalize(f.Language, t)
	n.outline = outline(ctx, p.source, t, side, pathOn(f, side), f.Language)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[key] = n
	return n, nil
}

func normalize(language string, t *text) *normFile {
	raw := make([]string, len(t.lines))
	for i, l := range t.lines {
		raw[i] = l.text
	}
	n := &normFile{}
	for i, tokens := range normLines(language, strings.Join(raw, "\n")) {
		if i < len(t.lines) {
			n.code.add(t.lines[i].no, tokens)
			n.raw.add(t.lines[i].no, clip.Line(raw[i]))
		}
	}
	return n
}

// noTokens precedes the text of lines that have no tokens.
const noTokens = "text\x00"

// snippet returns the tokens of the anchored lines, and the number of equal runs before them in the same
// symbol. Lines with comments alone have their text instead: they may be directives, or hide something.
func (n *normFile) snippet(a domain.Anchor) (string, int) {
	begin := 0 // the symbol, so that equal lines in other symbols do not change the ordinal
	if s, ok := n.outline.Enclosing(a.StartLine); ok {
		begin = s.Start
	}
	if text, ordinal := n.code.snippet(a, begin); text != "" {
		return text, ordinal
	}
	text, ordinal := n.raw.snippet(a, begin)
	return markTokenless(text), ordinal
}

// snippet returns the texts of an anchor's lines, and the number of equal texts before them from the line begin on. It returns "" if the
// anchor has no such lines.
func (l textLines) snippet(a domain.Anchor, begin int) (string, int) {
	from, _ := slices.BinarySearch(l.numbers, a.StartLine)
	to, _ := slices.BinarySearch(l.numbers, a.EndLine+1)
	if from >= to {
		return "", 0
	}
	want, ordinal := l.texts[from:to], 0
	first, _ := slices.BinarySearch(l.numbers, begin)
	for i := first; i+len(want) <= from; i++ {
		if l.texts[i] == want[0] && slices.Equal(l.texts[i:i+len(want)], want) {
			ordinal++
		}
	}
	return strings.Join(want, "\n"), ordinal
}

// quoted returns the tokens of a quotation of lines that the diff does not show, or its text if it has no tokens.
func quoted(language, quote string) string {
	lines := slices.DeleteFunc(normLines(language, quote), func(l string) bool { return l == "" })
	if len(lines) == 0 {
		return markTokenless(clip.Line(quote))
	}
	return strings.Join(lines, "\n")
}

// markTokenless marks the text of lines that have no tokens; returns "" for "".
func markTokenless(text string) string {
	if text == "" {
		return ""
	}
	return noTokens + text
}
