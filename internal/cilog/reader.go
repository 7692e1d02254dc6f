package cilog

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/regexp"
)

// maxRaw is the most bytes of a line that are looked at. It is above [MaxLineBytes], because a secret must be
// found before its line is shortened.
const maxRaw = 2 * MaxLineBytes

// reader splits a log into lines without control codes, in memory that does not depend on the log.
type reader struct {
	in      *bufio.Reader
	limit   int64 // bytes that are read
	state   escape
	buf     []byte
	over    bool // the line has bytes beyond buf
	started bool // a carriage return ended an earlier part of the line
	number  int  // of the current line
	bytes   int64
	lines   int
	inKey   bool // the last line belongs to a private key
	folds   folds
}

// escape is the progress within a terminal control sequence (ECMA-48, 5.4 and 5.6).
type escape int

const (
	text escape = iota
	begun
	parameters // after ESC [
	str        // after ESC ] and the other beginnings of strings
	strBegun   // ESC within a string
)

func newReader(r io.Reader, limit int64) *reader {
	return &reader{in: bufio.NewReaderSize(io.LimitReader(r, limit+1), 64<<10), limit: limit, buf: make([]byte, 0, maxRaw), number: 1}
}

// next returns the next line, or the next part of a line that carriage returns divide. It returns [io.EOF] after
// the last one.
func (r *reader) next() (entry, error) {
	for {
		b, err := r.in.ReadByte()
		if err == nil && r.bytes == r.limit {
			r.bytes++
			err = io.EOF
		}
		if err != nil {
			if !errors.Is(err, io.EOF) || len(r.buf) == 0 && !r.over {
				return entry{}, err
			}
			return r.entry(), nil
		}
		r.bytes++
		switch {
		case b == '\n':
			e, skip := entry{}, r.started && len(r.buf) == 0
			if !skip {
				e = r.entry()
			}
			r.number, r.started, r.state = r.number+1, false, text
			if !skip {
				return e, nil
			}
		case b == '\r':
			if r.state = text; len(r.buf) > 0 {
				e := r.entry()
				r.started = true
				return e, nil
			}
		default:
			r.add(b)
		}
	}
}

// add takes one byte of a line.
func (r *reader) add(b byte) {
	switch r.state {
	case begun:
		switch {
		case b == '[':
			r.state = parameters
		case strings.IndexByte("]PX^_", b) >= 0:
			r.state = str
		case b < 0x20 || b > 0x2F:
			r.state = text
		}
		return
	case parameters:
		if b >= 0x20 && b <= 0x3F {
			return
		}
		if r.state = text; b >= 0x40 && b <= 0x7E {
			return
		}
	case str, strBegun:
		switch {
		case b == '\a' || r.state == strBegun && b == '\\':
			r.state = text
		case b == 0x1B:
			r.state = strBegun
		default:
			r.state = str
		}
		return
	}
	switch {
	case b == 0x1B:
		r.state = begun
	case b < 0x20 && b != '\t' || b == 0x7F:
	case len(r.buf) == maxRaw:
		r.over = true
	default:
		r.buf = append(r.buf, b)
	}
}

// entry is a line of the log on its way into the excerpt.
type entry struct {
	seq    int // order in the log
	number int
	text   string
	skip   int    // bytes of text that are the prefix of a step or of a parallel command
	marked bool   // the host marked the line as an error
	long   bool   // the line is longer than text
	before string // the end of the line before it
	after  string // the beginning of the next line
}

// stamp is the time before a line: of GitHub, Gitea and Azure, and of GitLab with its stream
// (docs.gitlab.com/ci/jobs/job_logs, "Job log timestamps").
var (
	stamp   = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z (?:[0-9a-f]{2}[OE][ +])?`)
	section = regexp.MustCompile(`^section_(?:start|end):\d+:[\w.-]+(?:\[[^\]]*\])?`)
	command = regexp.MustCompile(`^##\[(\w+)\]|^::(\w+)(?: [^:]*)?::`)
	keyBody = regexp.MustCompile(`^[\s|>"'+,]*(?:[A-Za-z0-9+/=]+|(?:Proc-Type|DEK-Info|Comment|Version): .*)?(?:\\n)?["'+,\s]*$`)
	keyLine = regexp.MustCompile(`(?:^|[\s"'])[A-Za-z0-9+/=]{40,}(?:\\n)?["'+,\s]*$`) // behind any text
	counted = regexp.MustCompile(`^\s*\d+\s*[|:]?\s`)                                 // the number of a line, as bat and compilers write it
)

// entry returns the line in buf without the host's decorations, and empties buf.
func (r *reader) entry() entry {
	line, over := string(r.buf), r.over
	r.buf, r.over = r.buf[:0], false
	r.lines = r.number
	e := entry{number: r.number, long: over}
	if line == "" {
		return e
	}
	line = plain(clip.Visible(strings.ToValidUTF8(line, "")))
	if len(line) > 20 && line[4] == '-' && line[10] == 'T' {
		line = line[len(stamp.FindString(line)):]
	}
	if strings.HasPrefix(line, `{"`) && goEvent.MatchString(line) {
		line = plain(clip.Visible(strings.ToValidUTF8(r.output(line), "")))
	}
	if strings.HasPrefix(line, "section_") {
		line = line[len(section.FindString(line)):]
	}
	if strings.HasPrefix(line, "##[") || strings.HasPrefix(line, "::") {
		if m := command.FindStringSubmatch(line); m != nil {
			e.marked = m[1] == "error" || m[2] == "error"
			line = line[len(m[0]):]
		}
	}
	if over { // the rest of the last word is unknown, so the word may be a part of a secret
		line = line[:strings.LastIndexFunc(line, func(c rune) bool {
			return c != '\uFFFD' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && !strings.ContainsRune("+/=_.~:-%", c)
		})+1]
	}
	line = strings.TrimRight(r.withoutKey(line), " \t")
	e.skip = len(prefix(line))
	e.text = r.folds.without(line, e.skip)
	return e
}

// goEvent is the beginning of a line of go test -json.
var goEvent = regexp.MustCompile(`^\{"(?:Time|ImportPath|Action)":".*"Action":"`)

// output returns the output in an event of go test -json without control codes: "" for events without one, the line
// itself if it is not an event.
func (r *reader) output(line string) string {
	var event struct{ Action, Output string }
	if json.Unmarshal([]byte(line), &event) != nil {
		return line
	}
	r.state = text
	for i := range len(event.Output) {
		r.add(event.Output[i])
	}
	out := string(r.buf)
	r.buf, r.over, r.state = r.buf[:0], false, text
	return out
}

// puttyKey stands in the line before the lines of a private key of PuTTY.
const puttyKey = "Private-Lines: "

// withoutKey replaces the lines of a private key, which are no longer recognised once some of them are left out.
func (r *reader) withoutKey(line string) string {
	const mark = "[redacted:private-key]"
	begins, ends := strings.LastIndex(line, "-----BEGIN"), strings.LastIndex(line, "-----END")
	switch {
	case begins > ends && strings.Contains(line[begins:], "PRIVATE KEY"):
		r.inKey = true
		return line[:begins] + mark
	case strings.Contains(line, puttyKey):
		r.inKey = true
		return line
	case !r.inKey:
		return line
	case ends >= 0:
		r.inKey = false
		_, rest, _ := strings.Cut(line[ends+len("-----END"):], "-----")
		return mark + rest
	case keyBody.MatchString(line), keyLine.MatchString(line), keyBody.MatchString(line[len(prefix(line)):]),
		keyBody.MatchString(line[len(counted.FindString(line)):]):
		return mark
	}
	r.inKey = false
	return line
}

// step is the prefix of a line in the output of docker build. The last lines of a step are repeated with their time alone.
// workspace is the prefix by which pnpm, turbo, concurrently and docker compose tell the outputs of parallel commands apart.
var (
	step      = regexp.MustCompile(`^(?:#\d+ (?:\d+\.\d+ )?|\d+\.\d{3} )`)
	workspace = regexp.MustCompile(`^(?:[\w@./-]+ [\w:.-]+: |@?[\w./-]+:[\w.-]+: |[\w.-]+ +\| |\[[\w.:-]+\] )`)
)

// prefix returns the prefix of a line that one of several commands at work has written, "" for other lines.
func prefix(line string) string {
	if isStep(line) {
		return step.FindString(line)
	}
	return workspace.FindString(line)
}

// isStep reports whether a line can have the prefix of a step.
func isStep(line string) bool {
	return line != "" && (line[0] == '#' || line[0] >= '0' && line[0] <= '9')
}
