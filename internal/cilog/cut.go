package cilog

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/regexp"
)

// Shares of [MaxLines]. The first and the last failures are kept, because a flood of failures, or of lines that
// look like them, must not hide the others.
const (
	firstLines  = 90 // of failures
	lastLines   = 60 // of failures
	errorLines  = 44 // that look like an error, the last ones
	firstErrors = 60 // the first ones, as far as there is room
	fewErrors   = 16 // the same if a tool reported failures
	endLines    = 6  // before the end of the log
	maxBefore   = 12 // lines before a failure
	maxEarly    = 64 // places in verbose output that are remembered until a test fails
)

// Cut reads at most [MaxRead] bytes of a log, in memory that does not depend on the log. It returns the reader's
// error, the redactor's or the context's, and then no excerpt.
func Cut(ctx context.Context, r io.Reader, redactor Redactor) (Excerpt, error) {
	return cut(ctx, newReader(r, MaxRead), redactor)
}

func cut(ctx context.Context, in *reader, redactor Redactor) (Excerpt, error) {
	c := cutter{open: -1, places: map[string]place{}, early: map[string]place{}}
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return Excerpt{}, ctx.Err()
		}
		e, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Excerpt{}, err
		}
		e.seq = n
		c.take(e)
	}
	c.close()
	c.out.Total, c.out.Bytes = in.lines, min(in.bytes, in.limit)
	c.out.CutEnd = c.out.CutEnd || in.bytes > in.limit
	c.out.Tool = c.tool()
	return c.out, c.out.clean(ctx, c.kept(), redactor)
}

// kept returns the lines of the excerpt in the order of the log.
func (c *cutter) kept() []entry {
	weak := slices.Concat(c.weakFirst, c.weak)
	room := MaxLines - len(c.first) - len(c.last) - len(c.end)
	if len(c.out.Failures) > 0 {
		weak = weak[max(0, len(weak)-fewErrors):]
	} else if early := max(0, room-len(c.weak)); early < len(c.weakFirst) {
		weak = slices.Concat(c.weakFirst[:early], c.weak)
	}
	all := slices.Concat(c.first, c.last, weak, c.end)
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.seq, b.seq) })
	return slices.CompactFunc(all, func(a, b entry) bool { return a.seq == b.seq })
}

// tool returns the tool of the first failure. A tool that runs others counts only if no other tool failed.
func (c *cutter) tool() string {
	for _, f := range c.out.Failures {
		if !strings.Contains(outer, f.Tool) {
			return f.Tool
		}
	}
	if len(c.out.Failures) > 0 {
		return c.out.Failures[0].Tool
	}
	return c.sign
}

// cutter chooses the lines of an excerpt.
type cutter struct {
	out         Excerpt
	recent      []entry // the last lines
	first, last []entry // of failures
	weakFirst   []entry // the first ones that look like an error, at most firstErrors
	weak        []entry // the last ones after these
	end         []entry // of the log, without empty ones
	seq         int     // the last line that was kept for a failure
	left        int     // lines that are still kept after a failure
	leftWeak    int
	weakNext    int // sequence number from which lines may be added to weak
	open        int // index of the failure that later lines may complete, -1 for none
	opened      string
	sure        int              // [confidence] of the line that completed it, 0 for none
	next        string           // the first line after the failure, which is its message if no pattern finds one
	sign        string           // the tool whose output was last seen
	current     string           // the test that runs, in verbose output
	early       map[string]place // found before the failure of a test, at most maxEarly
	places      map[string]place // by tool
}

// place is a file that a line names for failures of a tool.
type place struct {
	line entry
	found
}

// found are the named groups of a match.
type found map[string]string

// take decides about one line.
func (c *cutter) take(e entry) {
	if n := len(c.recent); n > 0 {
		e.before = border(c.recent[n-1].text, len(c.recent[n-1].text)-maxBorder, maxBorder)
		c.see(e)
	}
	c.recent = ring(c.recent, e, maxBefore)
	if e.text == "" {
		c.follow(e)
		return
	}
	c.end = ring(c.end, e, endLines)
	if strings.Contains(e.text, "imit") || strings.Contains(e.text, "runcated") {
		c.out.CutEnd = c.out.CutEnd || endNotice.MatchString(e.text)
		c.out.CutStart = c.out.CutStart || startNotice.MatchString(e.text)
	}
	var p *pattern
	var m found
	if e.skip == 0 || !isStep(e.text) {
		p, m = c.match(e.text)
	}
	if p == nil && e.skip > 0 {
		p, m = c.match(e.text[e.skip:])
	}
	switch {
	case p == nil:
		c.other(e)
	case p.role == fails || p.role == alone && c.open < 0:
		c.fail(e, p, m)
	case p.role == adds || p.role == alone:
		if c.open < 0 {
			if len(c.early) >= maxEarly {
				clear(c.early)
			}
			if key := p.tool + " " + c.current; c.early[key].found == nil || p.logs && confidence(m) >= confidence(c.early[key].found) {
				c.early[key] = place{e, m}
			}
			c.other(e)
			return
		}
		if p.logs {
			c.tell(m)
		} else {
			c.fill(m)
		}
		c.keep(e, 0)
		c.left = max(c.left, p.after)
	case p.role == names:
		c.places[p.tool] = place{e, m}
		c.other(e)
	case p.role == keeps:
		c.close()
		c.sign = p.tool
		c.keep(e, p.before)
	default:
		if c.close(); p.role == starts {
			c.sign, c.current = p.tool, m["name"]
		}
	}
}

// match returns the first pattern that a line fits, with the groups of the match.
func (c *cutter) match(line string) (*pattern, found) {
	for i := range patterns {
		p := &patterns[i]
		if p.role == adds && !c.mayAdd(p) || !strings.Contains(line, p.word) || p.within && c.sign != p.tool && c.places[p.tool].found == nil {
			continue
		}
		if m := p.re.FindStringSubmatch(line); m != nil {
			out := found{}
			for i, name := range p.re.Std().SubexpNames() {
				if name != "" && m[i] != "" {
					out[name] = m[i]
				}
			}
			return p, out
		}
	}
	return nil, nil
}

// mayAdd reports whether a pattern completes the open failure. In verbose output of go test, the message stands before
// the line that says that the test failed.
func (c *cutter) mayAdd(p *pattern) bool {
	if c.open < 0 {
		return p.tool == "go test"
	}
	return strings.Contains(p.tool, c.opened)
}

// fail begins a failure, or completes an earlier one of the same name.
func (c *cutter) fail(e entry, p *pattern, m found) {
	c.close()
	f := Failure{Tool: p.tool, Name: field(m["name"]), LogLine: e.number}
	if p.tool == "pytest" { // whose lines have both Class::test and Class.test
		f.Name = strings.ReplaceAll(f.Name, "::", ".")
	}
	if c.open = c.known(f, p, m); c.open < 0 {
		if c.open = len(c.out.Failures); c.open < MaxFailures {
			c.out.Failures = append(c.out.Failures, f)
		} else {
			c.out.More++
			c.open = -1
		}
	}
	if at := c.places[p.tool]; at.found != nil && m["file"] == "" {
		m["file"], m["line"] = at.found["file"], cmp.Or(m["line"], at.found["line"])
		c.add(at.line)
	}
	c.keep(e, p.before)
	c.opened, c.left = p.tool, p.after
	c.fill(m)
	key := p.tool + " " + m["name"]
	if at := c.early[key]; at.found != nil {
		c.add(at.line)
		c.tell(at.found)
		delete(c.early, key)
	}
}

// known returns the index of an earlier report of a failure, -1 for a new one: the same test, or the same rule at the same place.
func (c *cutter) known(f Failure, p *pattern, m found) int {
	file, msg := field(m["file"]), field(m["msg"])
	return slices.IndexFunc(c.out.Failures, func(g Failure) bool {
		if f.Tool != g.Tool || f.Name != g.Name || f.Name != "" && !p.rule {
			return f.Tool == g.Tool && f.Name == g.Name
		}
		return file != "" && file == g.File && m["line"] == strconv.Itoa(g.Line) && msg == g.Message
	})
}

// fill completes the open failure.
func (c *cutter) fill(m found) {
	if c.open < 0 {
		return
	}
	f := &c.out.Failures[c.open]
	if file := field(m["file"]); file != "" && (f.File == "" || f.Line == 0 && f.File == file || closer(f.Name, f.File, file)) {
		f.File = file
		f.Line, _ = strconv.Atoi(m["line"])
	}
	f.Name = cmp.Or(f.Name, field(m["name"]))
	f.Message = cmp.Or(f.Message, field(m["msg"]))
}

// closer reports whether a stack frame's file has the name of the test, and the file found before it does not.
func closer(test, before, file string) bool {
	has := func(file string) bool {
		return strings.Contains(test, strings.TrimSuffix(path.Base(file), path.Ext(file)))
	}
	return test != "" && has(file) && !has(before)
}

// close ends the open failure.
func (c *cutter) close() {
	if c.open >= 0 {
		c.fill(found{"msg": c.next})
	}
	c.open, c.opened, c.next, c.left, c.sure = -1, "", "", 0, 0
}

// other takes a line that fits no pattern.
func (c *cutter) other(e entry) {
	switch {
	case c.follow(e):
		if c.next == "" {
			c.next = strings.TrimSpace(e.text)
		}
	case e.marked:
		c.keep(e, maxBefore/2)
	case looksLikeError(e.text):
		for _, b := range c.recent[max(0, len(c.recent)-4):] {
			c.addWeak(b)
		}
		c.leftWeak = 8
	}
}

// follow keeps a line after a failure or after a line like an error. It reports whether a failure is open.
func (c *cutter) follow(e entry) bool {
	if c.left > 0 {
		c.left--
		c.keep(e, 0)
		return true
	}
	if c.leftWeak > 0 {
		c.leftWeak--
		c.addWeak(e)
	}
	return false
}

func (c *cutter) addWeak(e entry) {
	if e.seq < c.weakNext {
		return
	}
	if c.weakNext = e.seq + 1; len(c.weakFirst) < firstErrors {
		c.weakFirst = append(c.weakFirst, e)
	} else {
		c.weak = ring(c.weak, e, errorLines)
	}
}

// keep keeps a line and at most before lines in front of it.
func (c *cutter) keep(e entry, before int) {
	var all []entry
	if n := len(c.recent) - 1; n > 0 && before > 0 {
		all = c.recent[max(0, n-before):n]
	}
	for _, k := range append(slices.Clip(all), e) {
		if k.seq > c.seq || c.seq == 0 {
			c.seq = k.seq
			c.add(k)
		}
	}
}

// add keeps a line for a failure. A line that is added twice is kept once.
func (c *cutter) add(e entry) {
	for _, list := range [][]entry{c.first, c.last} {
		if slices.ContainsFunc(list, func(k entry) bool { return k.seq == e.seq }) {
			return
		}
	}
	if len(c.first) < firstLines {
		c.first = append(c.first, e)
	} else {
		c.last = ring(c.last, e, lastLines)
	}
}

// see tells the line before a line how the next one begins.
func (c *cutter) see(e entry) {
	begin := e.head()
	for _, list := range [][]entry{c.recent, c.first, c.last, c.weakFirst, c.weak, c.end} {
		if n := len(list); n > 0 && list[n-1].seq == e.seq-1 {
			list[n-1].after = begin
		}
	}
}

// ring appends to a list of at most n lines, and drops the oldest one.
func ring(list []entry, e entry, n int) []entry {
	if len(list) == n {
		copy(list, list[1:])
		list = list[:n-1]
	}
	return append(list, e)
}

// field prepares a part of a line for a [Failure].
func field(s string) string { return clip.Bytes(clip.Line(s), MaxField) }

// Notices in a log that a part of it is missing: of GitLab's runner (gitlab-org/gitlab-runner,
// helpers/trace/buffer.go), of BuildKit (moby/buildkit, util/progress/logs/logs.go), and of others.
var (
	endNotice = regexp.MustCompile(`^Job's log exceeded limit of \d+ bytes|^The (?:job|log).* exceeded the (?:maximum )?log length|` +
		`\[output clipped, log limit`)
	startNotice = regexp.MustCompile(`(?i)^\W*(?:earlier|previous|beginning of the) (?:log|output|lines).* truncated`)
)

// errorWords make a line look like an error, unless it has one of calmWords.
var (
	errorWords = []string{"rror", "ERROR", "ERR!", "atal", "FATAL", "ailed", "FAIL", "ailure", "anic", "PANIC", "xception",
		"raceback", "ssert", "not found", "No such file", "unbound variable", "would reformat", "[warn] ", "orbidden", "refused", "not ok ",
		"denied", "egmentation fault", "imed out", "illed", "annot ", "ndefined reference",
		"exit code", "exit status"}
	calmWords = []string{"0 error", "no error", "No error", "0 failed", "0 failure", "rrors: 0", "ailures: 0", "ailed: 0", "exit code 0",
		"exit status 0", "continue-on-error", "fail-fast", "on_failure", "if-no-files-found"}
)

func looksLikeError(line string) bool {
	has := func(w string) bool { return strings.Contains(line, w) }
	return slices.ContainsFunc(errorWords, has) && !slices.ContainsFunc(calmWords, has)
}
