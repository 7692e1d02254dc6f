package check

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of a Dockerfile that is read (design choices, far above the files of real projects).
const (
	maxDockerBytes        = 256 << 10
	maxDockerLines        = 5000
	maxDockerInstructions = 1000
	maxDockerHeredocs     = 10  // of one instruction
	maxDockerFlags        = 100 // of one instruction
	maxDockerFaults       = 1000
	maxDockerValue        = 1000 // bytes of a value
)

// errDockerBound means that a Dockerfile was not read because it is too long.
var errDockerBound = errors.New("beyond what is read")

// dockerInstruction is one instruction of a Dockerfile. Lines are 1-based.
type dockerInstruction struct {
	word    string   // in capital letters
	flags   []string // such as --platform=linux/amd64
	args    string   // the text behind the flags, without continuations and comments
	shell   string   // args with each line of the file on a line, as a shell reads it
	line    int      // of args; the instruction can begin before
	onBuild bool     // an ONBUILD instruction runs in images that are built from this one
	heredoc []dockerHeredoc

	starts []int // offsets in args of the text of each line, from line on
}

// dockerHeredoc is the text of a here-document.
type dockerHeredoc struct {
	text string
	line int
}

// lineAt returns the line of an offset in args.
func (in dockerInstruction) lineAt(offset int) int {
	n, found := slices.BinarySearch(in.starts, offset)
	if !found {
		n--
	}
	for found && n+1 < len(in.starts) && in.starts[n+1] == offset {
		n++
	}
	return in.line + max(n, 0)
}

// flag returns the value of a flag such as --from=build, "" without it.
func (in dockerInstruction) flag(name string) string {
	for _, f := range in.flags {
		if value, ok := strings.CutPrefix(f, "--"+name+"="); ok {
			return value
		}
	}
	return ""
}

// words splits the arguments at white space, or reads them as a JSON list.
func (in dockerInstruction) words() []string {
	if list, ok := in.list(); ok {
		return list
	}
	return strings.Fields(in.args)
}

// list reads the arguments as a JSON list of texts.
func (in dockerInstruction) list() (list []string, ok bool) {
	if !strings.HasPrefix(in.args, "[") {
		return nil, false
	}
	return list, json.Unmarshal([]byte(in.args), &list) == nil
}

// dockerLines is the text of a Dockerfile while it is read.
type dockerLines struct {
	lines  []string
	at     map[string][]int // trimmed line to its indexes, in order
	escape byte
	next   int
}

var (
	dockerDirective = regexp.MustCompile(`^#\s*(\w+)\s*=\s*(\S+)\s*$`)
	dockerHeredocs  = regexp.MustCompile(`(?:^|[^<])<<-?(?:"(\w+)"|'(\w+)'|(\w+))`)
)

// readDockerfile reads a Dockerfile as the builder does (https://docs.docker.com/reference/dockerfile/), but keeps unknown instructions
// and here-documents without an end. escape is the character that continues a line.
func readDockerfile(text string) (out []dockerInstruction, escape byte, err error) {
	if len(text) > maxDockerBytes || strings.Count(text, "\n") >= maxDockerLines {
		return nil, 0, errDockerBound
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	r := &dockerLines{lines: strings.Split(text, "\n"), at: map[string][]int{}, escape: '\\'}
	for i, l := range r.lines {
		l = strings.TrimSpace(l)
		r.at[l] = append(r.at[l], i)
	}
	for _, l := range r.lines {
		m := dockerDirective.FindStringSubmatch(l)
		if m == nil {
			break
		}
		if strings.EqualFold(m[1], "escape") && m[2] == "`" {
			r.escape = '`'
		}
	}
	for r.next < len(r.lines) {
		if r.skipped(r.lines[r.next]) {
			r.next++
			continue
		}
		if len(out) == maxDockerInstructions {
			return nil, 0, errDockerBound
		}
		in, err := r.instruction()
		if err != nil {
			return nil, 0, err
		}
		out = append(out, in)
	}
	return out, r.escape, nil
}

// skipped reports whether a line is empty or a comment, also within an instruction.
func (r *dockerLines) skipped(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// instruction reads the instruction at the next line.
func (r *dockerLines) instruction() (dockerInstruction, error) {
	in := dockerInstruction{line: r.next + 1}
	var parts []string
	for open := true; open && r.next < len(r.lines); r.next++ {
		l := r.lines[r.next]
		if len(parts) > 0 && r.skipped(l) {
			parts = append(parts, "")
			continue
		}
		trimmed := strings.TrimRight(l, " \t")
		if open = strings.HasSuffix(trimmed, string(r.escape)); open {
			l = trimmed[:len(trimmed)-1]
		}
		parts = append(parts, l)
	}
	offset := 0
	for _, p := range parts {
		in.starts = append(in.starts, offset)
		offset += len(p)
	}
	in.args = strings.Join(parts, "")
	if err := in.head(); err != nil {
		return in, err
	}
	in.shell = in.script()
	if in.word == "RUN" || in.word == "COPY" || in.word == "ADD" {
		r.readHeredocs(&in)
	}
	return in, nil
}

// head takes the word and the flags off the arguments.
func (in *dockerInstruction) head() error {
	in.word = strings.ToUpper(in.take())
	if in.word == "ONBUILD" {
		in.word, in.onBuild = strings.ToUpper(in.take()), true
	}
	for strings.HasPrefix(in.args, "--") {
		if len(in.flags) == maxDockerFlags {
			return errDockerBound
		}
		in.flags = append(in.flags, in.take())
	}
	in.args = strings.TrimRight(in.args, " \t")
	return nil
}

// take removes the first word of the arguments and the space around it.
func (in *dockerInstruction) take() string {
	rest := strings.TrimLeft(in.args, " \t")
	end := strings.IndexAny(rest, " \t")
	if end < 0 {
		end = len(rest)
	}
	word := rest[:end]
	rest = strings.TrimLeft(rest[end:], " \t")
	cut := len(in.args) - len(rest)
	in.line = in.lineAt(cut)
	starts := []int{0}
	for _, s := range in.starts {
		if s > cut {
			starts = append(starts, s-cut)
		}
	}
	in.args, in.starts = rest, starts
	return word
}

// script returns the arguments with a shell's continuation where a line of the file ends.
func (in *dockerInstruction) script() string {
	var b strings.Builder
	for i, s := range in.starts {
		s = min(s, len(in.args))
		if i > 0 {
			b.WriteString("\\\n")
		}
		end := len(in.args)
		if i+1 < len(in.starts) {
			end = min(in.starts[i+1], len(in.args))
		}
		b.WriteString(in.args[s:end])
	}
	return b.String()
}

// readHeredocs reads the here-documents behind an instruction. Text that only looks like the beginning of one has no end and is left.
func (r *dockerLines) readHeredocs(in *dockerInstruction) {
	for _, m := range dockerHeredocs.FindAllStringSubmatch(in.args, maxDockerHeredocs) {
		ends := r.at[m[1]+m[2]+m[3]]
		n, _ := slices.BinarySearch(ends, r.next)
		if n == len(ends) {
			continue
		}
		in.heredoc = append(in.heredoc, dockerHeredoc{strings.Join(r.lines[r.next:ends[n]], "\n"), r.next + 1})
		r.next = ends[n] + 1
	}
}
