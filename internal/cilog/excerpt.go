// Package cilog cuts the log of a failed CI job to the lines that say why it failed.
//
// [Cut] reads a log of any size in bounded memory. It removes control codes, decorations of hosts, hidden
// characters and secrets, finds the failures by the output of known tools, and keeps their lines. A log of an
// unknown tool is cut to its last lines that look like an error.
package cilog

import (
	"context"
	"fmt"
	"strings"
)

// Bounds of a log and of its excerpt.
const (
	MaxRead      = 50 << 20 // bytes of a log that are read
	MaxLines     = 200      // lines of an excerpt
	MaxLineBytes = 1000     // bytes of one line of an excerpt
	MaxFailures  = 50       // named failures of an excerpt
	MaxField     = 300      // bytes of one field of a [Failure]
)

// Redactor replaces secrets in a text by placeholders and keeps its number of lines. The redactor of package
// check is one. path is "", because a log is not a file of the repository.
type Redactor interface {
	Clean(ctx context.Context, path string, text []byte) ([]byte, error)
}

// Line is one kept line, without secrets, control codes and decorations of the host. Text is from outside.
type Line struct {
	Number int    `json:"number"` // in the log, from 1; lines that a carriage return separates share a number
	Text   string `json:"text"`   // at most [MaxLineBytes], valid UTF-8; ends with "…" if the line is longer
}

// Failure is one failure that a tool reported. Fields are "" or 0 if the tool's output does not have them. All
// texts are from outside and have at most [MaxField] bytes.
type Failure struct {
	Tool    string `json:"tool"`              // as in [Excerpt]
	Name    string `json:"name,omitempty"`    // of the test, rule or target
	File    string `json:"file,omitempty"`    // as the tool writes it: not checked against the repository
	Line    int    `json:"line,omitempty"`    // in File, from 1
	Message string `json:"message,omitempty"` // first line of the message
	LogLine int    `json:"logLine"`           // number of the log's line that begins the failure
}

// Excerpt is what [Cut] keeps of a log.
type Excerpt struct {
	Tool     string    `json:"tool"`     // such as "go test"; "" if no tool was recognised
	Lines    []Line    `json:"lines"`    // in the order of the log
	Failures []Failure `json:"failures"` // in the order of the log
	More     int       `json:"more"`     // failures beyond [MaxFailures]
	Total    int       `json:"total"`    // lines of the log that were read
	Bytes    int64     `json:"bytes"`    // of the log that were read
	CutStart bool      `json:"cutStart"` // the log itself says that its beginning is missing
	CutEnd   bool      `json:"cutEnd"`   // the log goes on after [MaxRead], or says that its end is missing
}

// Gap returns the number of the log's lines that were left out before line i of the excerpt, or after the last
// one if i is the number of lines.
func (e Excerpt) Gap(i int) int {
	before, next := 0, e.Total+1
	if i > 0 {
		before = e.Lines[i-1].Number
	}
	if i < len(e.Lines) {
		next = e.Lines[i].Number
	}
	return max(0, next-before-1)
}

// Text returns the lines with their numbers, and names every gap: "… 1,204 lines left out …".
func (e Excerpt) Text() string {
	var b strings.Builder
	if e.CutStart {
		b.WriteString("… the beginning of the log is missing …\n")
	}
	for i := range len(e.Lines) + 1 {
		switch n := e.Gap(i); {
		case n == 1:
			b.WriteString("… 1 line left out …\n")
		case n > 1:
			fmt.Fprintf(&b, "… %s lines left out …\n", thousands(n))
		}
		if i < len(e.Lines) {
			fmt.Fprintf(&b, "%d: %s\n", e.Lines[i].Number, e.Lines[i].Text)
		}
	}
	if e.CutEnd {
		b.WriteString("… the end of the log is missing …\n")
	}
	return b.String()
}

// thousands writes a number with a comma before each group of three digits.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
