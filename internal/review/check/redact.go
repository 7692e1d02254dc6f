package check

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// minValue is the shortest value that is replaced wherever it occurs; a shorter
// one would hit ordinary words. minKeyLine is the same for one line of a value of
// several lines: base64 of keys has 64 characters per line (RFC 7468, section 2).
const (
	minValue   = 4
	minKeyLine = 16
)

// Redactor replaces the values of known secrets by "[redacted:<rule>]". The
// number of lines stays the same. It is safe for concurrent use; its values
// cannot be read or printed.
type Redactor struct {
	scanner *Scanner
	mu      sync.RWMutex
	values  map[string]string // value to placeholder
	replace *strings.Replacer
}

func newRedactor(s *Scanner) *Redactor {
	r := &Redactor{scanner: s, values: map[string]string{}}
	r.build()
	return r
}

// String says how many values are known.
func (r *Redactor) String() string { return "redactor" }

// GoString keeps the values out of %#v.
func (r *Redactor) GoString() string { return r.String() }

// add learns a secret; build must follow.
func (r *Redactor) add(s Secret) {
	mark := "[redacted:" + s.RuleID + "]"
	if len(s.value) < minValue || strings.HasPrefix(s.value, "[redacted:") {
		return
	}
	lines := strings.Split(s.value, "\n")
	if len(lines) == 1 {
		r.values[s.value] = mark
		return
	}
	marks := make([]string, len(lines))
	for i, l := range lines {
		marks[i], lines[i] = mark, strings.TrimSuffix(l, "\r")
		// Lines of a key also stand alone: where a diff shows only some of them.
		if t := strings.TrimSpace(lines[i]); len(t) >= minKeyLine && !strings.HasPrefix(t, "-----") {
			r.values[t] = mark
		}
	}
	r.values[strings.Join(lines, "\n")] = strings.Join(marks, "\n")
	r.values[strings.Join(lines, "\r\n")] = strings.Join(marks, "\r\n")
}

func (r *Redactor) build() {
	keys := make([]string, 0, len(r.values))
	for v := range r.values {
		keys = append(keys, v)
	}
	slices.SortFunc(keys, func(a, b string) int { // longest first: the replacer prefers earlier pairs at one place
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, k := range keys {
		pairs = append(pairs, k, r.values[k])
	}
	r.replace = strings.NewReplacer(pairs...)
}

// Text replaces every known value in a text.
func (r *Redactor) Text(s string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.replace.Replace(s)
}

// Clean scans a file's text for further secrets, learns them, and replaces all
// known values. It returns the context's error if the scan is incomplete.
func (r *Redactor) Clean(ctx context.Context, path string, text []byte) ([]byte, error) {
	found, err := r.scanner.scan(ctx, path, string(text))
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		r.mu.Lock()
		for _, s := range found {
			r.add(s)
		}
		r.build()
		r.mu.Unlock()
	}
	return []byte(r.Text(string(text))), nil
}

// Redact returns a copy of a set in which every known value is replaced. The
// identifiers of hunks stay those of the original.
func Redact(set *diff.Set, r *Redactor) *diff.Set {
	out := &diff.Set{Files: make([]*diff.File, len(set.Files)), Lacks: set.Lacks}
	for i, f := range set.Files {
		file := *f
		file.Hunks = make([]*diff.Hunk, len(f.Hunks))
		for j, h := range f.Hunks {
			hunk := *h
			hunk.Section = r.Text(h.Section)
			hunk.Lines = slices.Clone(h.Lines)
			redactSide(&hunk, domain.Left, r)
			redactSide(&hunk, domain.Right, r)
			file.Hunks[j] = &hunk
		}
		out.Files[i] = &file
	}
	return out
}

// redactSide redacts the joined text of one side, because a value may span lines
// between which the other side has lines of its own.
func redactSide(h *diff.Hunk, side domain.Side, r *Redactor) {
	text, _, _ := sideText(h, side)
	lines := strings.Split(r.Text(text), "\n")
	i := 0
	for k := range h.Lines {
		l := &h.Lines[k]
		if side == domain.Left && l.Old == 0 || side == domain.Right && l.New == 0 {
			continue
		}
		if i < len(lines) {
			l.Text = lines[i]
		}
		i++
	}
}

// RedactedSource reads through another source and cleans what it reads, so that
// no secret of any file reaches a prompt. Anchors are validated against it,
// because quotes of a model then hold the placeholders too.
type RedactedSource struct {
	Source   Source
	Redactor *Redactor
	mu       sync.Mutex
	cache    map[string][]byte
	bytes    int
}

// maxCached bounds the bytes that a [RedactedSource] remembers.
const maxCached = 32 << 20

// Blob reads and cleans a file. The caller must not change the result.
func (s *RedactedSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	key := string(side) + ":" + path
	s.mu.Lock()
	b, ok := s.cache[key]
	s.mu.Unlock()
	if ok {
		return b, nil
	}
	raw, err := s.Source.Blob(ctx, side, path)
	if err != nil {
		return nil, err
	}
	clean, err := s.Redactor.Clean(ctx, path, raw)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache == nil {
		s.cache = map[string][]byte{}
	}
	if s.bytes+len(clean) <= maxCached {
		s.cache[key] = clean
		s.bytes += len(clean)
	}
	return clean, nil
}
