package outbound

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// Bound limits what is read of one answer, so that a server that a tenant chose costs a
// known amount of memory. Each field is needed: of a zero one nothing is read.
type Bound struct {
	Bytes   int64 // of the answer
	Memory  int64 // that decoding it takes, by the estimate of [readJSON]
	Entries int   // of each list that is the answer, or a member of it
}

// DefaultMemory holds the largest pages of code hosts: a hundred pull requests with the
// repositories, people and labels in them are estimated at 7 MiB.
const DefaultMemory = 18 << 20

// NoList is [Bound.Entries] for an answer that is not a page of a list: only Bytes and
// Memory bound its lists.
const NoList = 1 << 30

// maxDepth is how deep the values of an answer are nested at most (design choice: texts of
// Jira, the deepest that are read, have about 20 levels).
const maxDepth = 100

// The estimate of what a value takes once it is decoded. Two bytes of an answer can
// become a struct of hundreds of bytes, which is why the bytes of an answer are not
// enough of a bound.
const (
	objectCost  = 512 // a struct of one of the hosts' libraries
	memberCost  = 96  // an entry of a map
	arrayCost   = 64
	elementCost = 32
)

// BoundError means that an answer went beyond its [Bound]. It is an [ErrTooLarge].
type BoundError struct {
	Reason string // a part of a sentence, such as "it is nested deeper than 100"; nothing of the answer
}

// Error returns a text that holds nothing of the answer.
func (e *BoundError) Error() string { return "the answer is larger than allowed: " + e.Reason }

// Is makes the error an [ErrTooLarge].
func (e *BoundError) Is(target error) bool { return target == ErrTooLarge }

func beyond(format string, args ...any) error {
	return &BoundError{Reason: fmt.Sprintf(format, args...)}
}

// readJSON reads an answer that is decoded afterwards, and stops with a [BoundError] as
// soon as it is beyond the bound. It does not check the syntax.
func readJSON(r io.Reader, b Bound) ([]byte, error) {
	return readAll(&jsonLimit{r: r, bound: b}, b.Bytes)
}

// readAll reads at most one byte more than most. The buffer doubles up to that, so that it takes, with the one before
// it, half more than the bound; that of [io.ReadAll] takes nearly twice the bound.
func readAll(r io.Reader, most int64) ([]byte, error) {
	first := most + 1
	for first > 64<<10 {
		first = (first + 1) / 2
	}
	buf := make([]byte, 0, first)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		switch buf = buf[:len(buf)+n]; {
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return buf, err
		case len(buf) < cap(buf):
		case int64(len(buf)) > most:
			return buf, nil
		default:
			buf = append(make([]byte, 0, min(2*int64(cap(buf)), most+1)), buf...)
		}
	}
}

// maxRefusal is how many bytes of a refusal are read: what follows tells people nothing more.
const maxRefusal = 64 << 10

// ReadAnswer is [readJSON] of the body of a success; the pages of a [List] share its bound of
// bytes. Of another answer only the first 64 KiB are read, for its words.
func ReadAnswer(resp *http.Response, b Bound) ([]byte, error) {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	}
	if resp.Request == nil { // one that no client has sent
		return readJSON(resp.Body, b)
	}
	left, paged := resp.Request.Context().Value(leftKey{}).(*atomic.Int64)
	if !paged {
		return readJSON(resp.Body, b)
	}
	body, err := readJSON(resp.Body, b)
	if left.Add(-int64(len(body))) < 0 {
		return nil, beyond("its list has more than %d MiB in all", maxListRead>>20)
	}
	return body, err
}

// ReadBytes reads an answer that is kept as it is, such as the content of a file.
func ReadBytes(r io.Reader, most int64) ([]byte, error) {
	body, err := readAll(r, most)
	if err == nil && int64(len(body)) > most {
		return nil, beyond("it has more than %d bytes", most)
	}
	return body, err
}

// LimitJSON is a reader that ends with a [BoundError] where an answer is beyond the bound.
// It reads JSON, lines of JSON and streams of events. A text in it must end on its line: what decodes the
// answer may join lines, or go on after a text that JSON does not have, and would see other values than were counted.
func LimitJSON(r io.Reader, b Bound) io.Reader { return &jsonLimit{r: r, bound: b, strict: true} }

type jsonLimit struct {
	r      io.Reader
	bound  Bound
	strict bool // a text that does not end on its line is an error
	err    error

	read, memory int64
	inText       bool // within a string
	escaped      bool // after a backslash of one
	bare         bool // no value was begun since the last bracket or comma
	open         []jsonLevel
}

// jsonLevel is an array or object that has not ended.
type jsonLevel struct {
	array, listed bool // listed: its entries are those of the list that was asked for
	entries       int
}

// Read implements [io.Reader]. For what is beyond the bound nothing is returned.
func (l *jsonLimit) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	if l.read += int64(n); l.read > l.bound.Bytes {
		l.err = beyond("it has more than %d bytes", l.bound.Bytes)
		return 0, l.err
	}
	for _, c := range p[:n] {
		if l.take(c); l.err != nil {
			return 0, l.err
		}
	}
	return n, err
}

func (l *jsonLimit) take(c byte) {
	switch {
	case c == '\n' || c == '\r': // a string of JSON holds no end of a line, behind a backslash neither
		if l.inText && l.strict {
			l.err = beyond("a text in it does not end on its line")
		}
		l.inText, l.escaped = false, false
	case l.escaped:
		l.escaped = false
	case l.inText && c == '\\':
		l.escaped = true
	case c == '"':
		l.inText = !l.inText
		l.begin()
	case l.inText, c <= ' ':
	case c == '{' || c == '[':
		l.begin()
		l.bare = true
		l.push(c == '[')
	case c == '}' || c == ']':
		l.bare = false
		l.open = l.open[:max(len(l.open)-1, 0)]
	case c == ',':
		l.bare = true
	default:
		l.begin()
	}
}

// begin counts a value, or the name of a member, where none was counted yet.
func (l *jsonLimit) begin() {
	if !l.bare || len(l.open) == 0 {
		return
	}
	l.bare = false
	level := &l.open[len(l.open)-1]
	cost := int64(memberCost)
	if level.array {
		cost = elementCost
	}
	if level.entries++; level.listed && level.entries > l.bound.Entries {
		l.err = beyond("a list in it has more than %d entries, which were asked for", l.bound.Entries)
		return
	}
	l.spend(cost)
}

func (l *jsonLimit) push(array bool) {
	if len(l.open) == maxDepth {
		l.err = beyond("it is nested deeper than %d", maxDepth)
		return
	}
	depth := len(l.open)
	l.open = append(l.open, jsonLevel{array: array, listed: array && (depth == 0 || depth == 1 && !l.open[0].array)})
	if array {
		l.spend(arrayCost)
	} else {
		l.spend(objectCost)
	}
}

func (l *jsonLimit) spend(cost int64) {
	if l.memory += cost; l.memory > l.bound.Memory && l.err == nil {
		l.err = beyond("it holds more values than fit into %d MiB", l.bound.Memory>>20)
	}
}
