package diff

import (
	"bytes"
	"fmt"
	"strings"
)

// Reasons for which the hunks of a file are not in a diff; see [File.Omitted].
const (
	OmittedLarge      = "change larger than allowed"
	OmittedByHost     = "change not shown by the host"
	OmittedUnreadable = "change not readable as the host gives it"
	OmittedPath       = "a path that no checkout can have"
)

// omitted begins the header line by which a diff of ours says that the hunks of
// a file were left out. Git writes no such line, and no content can look like
// one: lines of hunks begin with a sign or a space, and git quotes a path that
// holds a line break.
const omitted = "omitted "

// lacking begins the line before the first file by which a diff of ours says
// what it lacks as a whole.
const lacking = "lacking "

// Omit adds to the header of a file that its hunks were left out, and why: a text
// of one line. The header begins with git's line "diff --git".
func Omit(header []byte, why string) []byte {
	first := bytes.IndexByte(header, '\n') + 1
	out := append([]byte(nil), header[:first]...)
	out = append(out, omitted+why+"\n"...)
	return append(out, header[first:]...)
}

// Lacking is the line that says, before the files of a diff, what it lacks: a
// text of one line.
func Lacking(what string) []byte { return []byte(lacking + what + "\n") }

// cutOmitted takes the line of [Omit] out of a section.
func cutOmitted(section []byte) (rest []byte, why string) {
	first := bytes.IndexByte(section, '\n') + 1
	if !bytes.HasPrefix(section[first:], []byte(omitted)) {
		return section, ""
	}
	line, after, _ := bytes.Cut(section[first:], []byte("\n"))
	return append(append([]byte(nil), section[:first]...), after...), string(line[len(omitted):])
}

// cutLacking takes the line of [Lacking] off the beginning of a diff.
func cutLacking(raw []byte) (rest []byte, what string) {
	if !bytes.HasPrefix(raw, []byte(lacking)) {
		return raw, ""
	}
	line, after, _ := bytes.Cut(raw, []byte("\n"))
	return after, string(line[len(lacking):])
}

// Format writes a host's list of changed files as the unified diff that [Parse]
// reads. Hunks that cannot be read are left out, and the file says so. An empty path
// and one with NUL are an error of kind Malformed.
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

// header writes the lines of a file before its names and hunks.
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

// names writes the two lines that name a file before its hunks.
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

// quote writes a path as git does: quoted, with octal escapes, where it holds a
// byte that would break a header line.
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
