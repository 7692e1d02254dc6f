package check

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of replacement. A value shorter than minValue would hit ordinary words. minKeyLine is the minimum
// for one line of a value of several lines: base64 of keys has 64 characters on each line (RFC 7468,
// section 2). maxValues bounds the number of values, maxPiece the pieces into which a long value is cut,
// and maxWhole the length up to which a value of several lines is also replaced as a whole.
const (
	minValue   = 4
	minKeyLine = 16
	maxValues  = 10_000
	maxPiece   = 256
	maxWhole   = 8 << 10
)

// Redactor replaces the values of known secrets by "[redacted:<rule>]". It keeps the number of lines. Its
// values cannot be read or printed. It is safe for concurrent use.
type Redactor struct {
	scanner finder
	mu      sync.RWMutex
	values  map[string]string // value to placeholder
	stale   bool              // some learned values are not in use yet
	replace *strings.Replacer
}

// finder finds the secrets in the text of a file: a [Scanner] in this process or in a child process.
type finder interface {
	scan(ctx context.Context, path, text string) ([]Secret, error)
}

// NewRedactor makes a redactor that learns secrets from the texts that it cleans.
func NewRedactor(s *Scanner) *Redactor { return newRedactor(s) }

func newRedactor(s finder) *Redactor {
	r := &Redactor{scanner: s, values: map[string]string{}}
	r.build()
	return r
}

// String returns a fixed text, so that values are not printed.
func (r *Redactor) String() string { return "redactor" }

// GoString keeps the values out of %#v.
func (r *Redactor) GoString() string { return r.String() }

// add learns a secret; a call of build must follow. It returns false if there is no room for the secret.
// Text that contains it must then not be shown.
func (r *Redactor) add(s Secret) bool {
	mark := "[redacted:" + s.RuleID + "]"
	if len(s.value) < minValue || strings.HasPrefix(s.value, "[redacted:") {
		return true
	}
	lines := strings.Split(s.value, "\n")
	if len(lines) == 1 {
		return r.learn(s.value, mark)
	}
	marks := make([]string, len(lines))
	fits := true
	for i, l := range lines {
		marks[i], lines[i] = mark, strings.TrimSuffix(l, "\r")
		// Lines of a key are also learned alone, because a diff may show only some of them.
		if t := strings.TrimSpace(lines[i]); len(t) >= minKeyLine && !strings.HasPrefix(t, "-----") {
			fits = r.learn(t, mark) && fits
		}
	}
	if len(s.value) <= maxWhole {
		fits = r.put(strings.Join(lines, "\n"), strings.Join(marks, "\n")) && fits
		fits = r.put(strings.Join(lines, "\r\n"), strings.Join(marks, "\r\n")) && fits
	}
	return fits
}

// learn learns a value of one line, a long one in pieces.
func (r *Redactor) learn(value, mark string) bool {
	for len(value) > maxPiece+minKeyLine {
		if !r.put(value[:maxPiece], mark) {
			return false
		}
		value = value[maxPiece:]
	}
	return r.put(value, mark)
}

func (r *Redactor) put(value, mark string) bool {
	if _, known := r.values[value]; known {
		return true
	}
	if len(r.values) >= maxValues {
		return false
	}
	r.values[value], r.stale = mark, true
	return true
}

// build takes the learned values into use.
func (r *Redactor) build() {
	if !r.stale && r.replace != nil {
		return
	}
	r.stale = false
	keys := make([]string, 0, len(r.values))
	for v := range r.values {
		keys = append(keys, v)
	}
	slices.SortFunc(keys, func(a, b string) int { // longest first, because the replacer prefers earlier pairs at one place
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

// errWithheld means that a text contains more secrets than can be learned.
var errWithheld = errors.New("the text holds more secrets than can be replaced")

// Clean scans the text of a file for further secrets, learns them, and replaces all known values. Errors:
// errWithheld, or the context's if the scan is incomplete.
func (r *Redactor) Clean(ctx context.Context, path string, text []byte) ([]byte, error) {
	found, err := r.scanner.scan(ctx, path, string(text))
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		fits := true
		r.mu.Lock()
		for _, s := range found {
			fits = r.add(s) && fits
		}
		r.build()
		r.mu.Unlock()
		if !fits {
			return nil, errWithheld
		}
	}
	return []byte(r.Text(string(text))), nil
}

// Redact returns a copy of a set with every known value replaced. Hunks keep their identifiers. The error
// is the context's.
func Redact(ctx context.Context, set *diff.Set, r *Redactor) (*diff.Set, error) {
	out := &diff.Set{Files: make([]*diff.File, len(set.Files)), Lacks: set.Lacks}
	for i, f := range set.Files {
		file := *f
		file.Hunks = make([]*diff.Hunk, len(f.Hunks))
		for j, h := range f.Hunks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			hunk := *h
			hunk.Section = r.Text(h.Section)
			hunk.Lines = slices.Clone(h.Lines)
			redactSide(&hunk, domain.Left, r)
			redactSide(&hunk, domain.Right, r)
			file.Hunks[j] = &hunk
		}
		out.Files[i] = &file
	}
	return out, nil
}

// redactSide redacts the joined text of one side, because a value may span lines that are separated by
// lines of the other side.
func redactSide(h *diff.Hunk, side domain.Side, r *Redactor) {
	lines := strings.Split(r.Text(textOf(h, side).text), "\n")
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

// RedactedSource reads and cleans files of another source, so that no secret of any file reaches a prompt.
// Anchors are validated against it, because a model's quotes then contain the placeholders too. Files that
// must not be shown count as absent, and their paths are remembered.
type RedactedSource struct {
	Source   Source
	Redactor *Redactor

	mu      sync.Mutex
	cache   map[string][]byte
	bytes   int
	refused map[string]bool
}

// maxCleaned bounds the bytes that a [RedactedSource] cleans and keeps. Files beyond it count as absent,
// because cleaning takes seconds for a megabyte.
const maxCleaned = 32 << 20

// Blob reads and cleans a file. The caller must not change the result.
func (s *RedactedSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	key := string(side) + ":" + path
	s.mu.Lock()
	b, ok := s.cache[key]
	s.mu.Unlock()
	if ok {
		return b, nil
	}
	if s.Refused(path) {
		return nil, fs.ErrNotExist
	}
	raw, err := s.Source.Blob(ctx, side, path)
	if err != nil {
		return nil, err
	}
	if !s.takeRoom(len(raw)) {
		s.refuse(path)
		return nil, fs.ErrNotExist
	}
	clean, err := s.Redactor.Clean(ctx, path, raw)
	if errors.Is(err, errWithheld) {
		s.refuse(path)
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cache == nil {
		s.cache = map[string][]byte{}
	}
	s.cache[key] = clean
	return clean, nil
}

// Refused reports whether a version of the file was withheld, because it contains more secrets than can be
// replaced or because the bound of cleaned bytes was reached.
func (s *RedactedSource) Refused(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused[path]
}

// takeRoom takes n bytes from the bound of cleaned bytes, and returns false if they exceed it.
func (s *RedactedSource) takeRoom(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes+n > maxCleaned {
		return false
	}
	s.bytes += n
	return true
}

func (s *RedactedSource) refuse(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = map[string]bool{}
	}
	s.refused[path] = true
}
