package diff

import (
	"bytes"
	"fmt"
	"strings"
)

// Reasons why a diff lacks the hunks of a file; see [File.Omitted].
const (
	OmittedLarge      = "change larger than allowed"
	OmittedByHost     = "change not shown by the host"
	OmittedUnreadable = "change not readable as the host gives it"
	OmittedPath       = "a path that no checkout can have"
)

// omitted begins our header line for a file without its hunks. It cannot be confused with git's lines or
// with content: git writes no such line, hunk lines begin with a sign or a space, and git quotes paths that
// contain line breaks.
const omitted = "omitted "

// lacking begins our line before the first file about the parts that the diff as a whole lacks.
const lacking = "lacking "

// Omit adds to a file's header that its hunks were left out, and why, in one line. The header must begin
// with git's line "diff --git".
func Omit(header []byte, why string) []byte {
	first := bytes.IndexByte(header, '\n') + 1
	out := append([]byte(nil), header[:first]...)
	out = append(out, omitted+why+"\n"...)
	return append(out, header[first:]...)
}

// Lacking returns the line before the files of a diff about the parts that it lacks. what must be one line.
func Lacking(what string) []byte { return []byte(lacking + what + "\n") }

// cutOmitted removes the line of [Omit] from a section.
func cutOmitted(section []byte) (rest []byte, why string) {
	first := bytes.IndexByte(section, '\n') + 1
	if !bytes.HasPrefix(section[first:], []byte(omitted)) {
		return section, ""
	}
	line, after, _ := bytes.Cut(section[first:], []byte("\n"))
	return append(append([]byte(nil), section[:first]...), after...), string(line[len(omitted):])
}

// cutLacking removes the line of [Lacking] from the beginning of a diff.
func cutLacking(raw []byte) (rest []byte, what string) {
	if !bytes.HasPrefix(raw, []byte(lacking)) {
		return raw, ""
	}
	line, after, _ := bytes.Cut(raw, []byte("\n"))
	return after, string(line[len(lacking):])
}

// Format writes a host's list of changed files as a unified diff for [Parse]. It leaves out unreadable
// hunks and records that in the file's header. An empty path and a path with NUL return a Malformed error.
func Format(patches []Patch) ([]byte, error) {
	var b bytes.Buffer
	for _, p := range patches {
		header := p.header()
		if _, err := FromPatches([]Patch{p}); err != nil {
			bare := p
			if bare.Text = ""; p.Text == "" {
				return nil, err
			}
			if _, err := FromPatches([]Patch{bare}); err != nil {
				return nil, err
			}
			p.Text, p.Omitted = "", OmittedUnreadable
		}
		switch {
		case p.Omitted != "":
			header = Omit(header, p.Omitted)
		case p.Binary:
			header = append(header, "Binary files differ\n"...)
		}
		b.Write(header)
		if p.Text != "" {
			b.WriteString(p.names())
			b.WriteString(strings.TrimSuffix(p.Text, "\n") + "\n")
		}
	}
	return b.Bytes(), nil
}

// header returns the header lines of a file before its names and hunks.
func (p Patch) header() []byte {
	var b bytes.Buffer
	from := p.OldPath
	if from == "" {
		from = p.Path
	}
	fmt.Fprintf(&b, "diff --git %s %s\n", quote("a/"+from), quote("b/"+p.Path))
	switch p.Status {
	case Added:
		b.WriteString("new file mode 100644\n")
	case Deleted:
		b.WriteString("deleted file mode 100644\n")
	case Renamed:
		fmt.Fprintf(&b, "rename from %s\nrename to %s\n", quote(from), quote(p.Path))
	case Copied:
		fmt.Fprintf(&b, "copy from %s\ncopy to %s\n", quote(from), quote(p.Path))
	}
	return b.Bytes()
}

// names returns the two lines that name a file before its hunks.
func (p Patch) names() string {
	from, to := "a/"+p.Path, "b/"+p.Path
	if p.OldPath != "" {
		from = "a/" + p.OldPath
	}
	from, to = quote(from), quote(to)
	if p.Status == Added {
		from = "/dev/null"
	}
	if p.Status == Deleted {
		to = "/dev/null"
	}
	return "--- " + from + "\n+++ " + to + "\n"
}

// quote quotes a path as git does, with octal escapes, if a byte in it would break a header line.
func quote(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('"')
	return b.String()
}
