package outbound

import (
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
)

// Bound limits the reading of one answer, so that a server that a tenant chose costs a known amount of
// memory. Every field is required: a zero field allows nothing.
type Bound struct {
	Bytes   int64 // size of the answer
	Memory  int64 // memory of the decoded answer, as [readJSON] estimates it
	Entries int   // entries of each list that is the answer or one of its members
}

// DefaultMemory is enough for the largest pages of code hosts: a hundred pull requests with their
// repositories, people and labels are estimated at 7 MiB.
const DefaultMemory = 18 << 20

// NoList is the [Bound.Entries] of an answer that is not a page of a list. Only Bytes and Memory bound its
// lists.
const NoList = 1 << 30

// maxDepth is the maximum nesting of an answer (design choice: the deepest known answers, texts of Jira,
// have about 20 levels).
const maxDepth = 100

// Estimated memory of decoded values in bytes. The size of an answer alone is not a sufficient bound,
// because two bytes of it can become a struct of hundreds of bytes.
const (
	objectCost  = 512 // a struct of one of the hosts' libraries
	memberCost  = 96  // an entry of a map
	arrayCost   = 64
	elementCost = 32
)

// BoundError reports that an answer exceeded its [Bound]. It is an [ErrTooLarge].
type BoundError struct {
	Reason string // part of a sentence, such as "it is nested deeper than 100", without text of the answer
}

// Error returns a text without parts of the answer.
func (e *BoundError) Error() string { return "the answer is larger than allowed: " + e.Reason }

// Is reports whether target is [ErrTooLarge].
func (e *BoundError) Is(target error) bool { return target == ErrTooLarge }

func newBoundError(format string, args ...any) error {
	return &BoundError{Reason: fmt.Sprintf(format, args...)}
}

// readJSON reads an answer for decoding, and returns a [BoundError] as soon as it exceeds the bound. It
// does not check the syntax.
func readJSON(r io.Reader, b Bound) ([]byte, error) {
	return readAll(&jsonLimit{r: r, bound: b}, b.Bytes)
}

// readAll reads at most most+1 bytes. Its buffer doubles up to that size, so that the last two buffers take
// at most 1.5 times the bound. Those of [io.ReadAll] take nearly twice the bound.
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

// maxRefusal is how many bytes of a refusal are read, because the rest tells people nothing more.
const maxRefusal = 64 << 10

// ReadAnswer reads the body of a success with [readJSON]. The pages of a [List] share its bound in bytes.
// For any other answer it reads the first 64 KiB, for the error message.
func ReadAnswer(resp *http.Response, b Bound) ([]byte, error) {
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	}
	if resp.Request == nil { // an answer that did not come from a client
		return readJSON(resp.Body, b)
	}
	left, paged := resp.Request.Context().Value(leftKey{}).(*atomic.Int64)
	if !paged {
		return readJSON(resp.Body, b)
	}
	body, err := readJSON(resp.Body, b)
	if left.Add(-int64(len(body))) < 0 {
		return nil, newBoundError("its list has more than %d MiB in all", maxListRead>>20)
	}
	return body, err
}

// ReadBytes reads an answer that is not decoded, such as the content of a file.
func ReadBytes(r io.Reader, most int64) ([]byte, error) {
	body, err := readAll(r, most)
	if err == nil && int64(len(body)) > most {
		return nil, newBoundError("it has more than %d bytes", most)
	}
	return body, err
}

// LimitJSON returns a reader that fails with a [BoundError] if an answer exceeds the bound. It supports
// JSON, lines of JSON and event streams. Strings must end on their line, because a decoder that joins
// lines, or continues after an invalid string, would see other values than were counted.
func LimitJSON(r io.Reader, b Bound) io.Reader { return &jsonLimit{r: r, bound: b, strict: true} }

type jsonLimit struct {
	r      io.Reader
	bound  Bound
	strict bool // an unfinished string at a line break is an error
	err    error

	read, memory int64
	inText       bool // inside a string
	escaped      bool // after a backslash in a string
	bare         bool // no value has begun since the last bracket or comma
	open         []jsonLevel
}

// jsonLevel is an open array or object.
type jsonLevel struct {
	array, listed bool // listed: it is the requested list
	entries       int
}

// Read implements [io.Reader]. It returns no bytes beyond the bound.
func (l *jsonLimit) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	n, err := l.r.Read(p)
	if l.read += int64(n); l.read > l.bound.Bytes {
		l.err = newBoundError("it has more than %d bytes", l.bound.Bytes)
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
	case c == '\n' || c == '\r': // JSON strings contain no line breaks, not even after a backslash
		if l.inText && l.strict {
			l.err = newBoundError("a text in it does not end on its line")
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

// begin counts a value or a member's name once.
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
		l.err = newBoundError("a list in it has more than %d entries, which were asked for", l.bound.Entries)
		return
	}
	l.spend(cost)
}

func (l *jsonLimit) push(array bool) {
	if len(l.open) == maxDepth {
		l.err = newBoundError("it is nested deeper than %d", maxDepth)
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
		l.err = newBoundError("it holds more values than fit into %d MiB", l.bound.Memory>>20)
	}
}
