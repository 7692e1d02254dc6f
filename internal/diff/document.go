package diff

import (
	"bytes"
	"regexp"
)

var (
	// fence begins and ends a block of code in Markdown.
	fence = regexp.MustCompile("^\\s{0,3}(```|~~~)")
	// moduleLine is a line by which a document is a program: MDX, also where the file is called Markdown.
	moduleLine = regexp.MustCompile(`^(import\s+([\w$*{][^;]*\sfrom\s+)?["']|export\s+(default|const|let|var|function|async|class|\{|\*))`)
	// rawBlock passes markup on as it is, or runs what follows (reStructuredText, AsciiDoc, Org, Textile).
	rawBlock = regexp.MustCompile(`(?i)^\s*(\.\. (raw|include|literalinclude)::|\+\+\+\+\s*$|pass::|include::|#\+(begin_export|include|call|babel)\b|#\+begin_src.*:(tangle|eval|exports)|notextile\.)`)
	// shellWork is what a command has that does something, beside its name.
	shellWork = regexp.MustCompile(`\||&&|\s-\w|\$\(|://|>`)
)

// Prose reports whether what a diff shows of a document is for people alone. One that is not may still be: its
// whole text says.
func Prose(name string, shown []byte) bool {
	return kindOf(name, version{content: shown, part: true}).class == ClassDocs
}

// isProse reports whether a document is for people alone: no markup in it runs, and it is not a program under
// the name of a document. Blocks of code count only where the text is whole, because a part of one may begin
// within such a block.
func isProse(content []byte, whole bool) bool {
	if runnable.Match(content) {
		return false
	}
	lines, code, within := 0, 0, false
	for line := range bytes.Lines(content) {
		switch {
		case whole && fence.Match(line):
			within = !within
			continue
		case within || len(bytes.TrimSpace(line)) == 0:
			continue
		case moduleLine.Match(line) || rawBlock.Match(line):
			return false
		}
		lines++
		if programLine.Match(line) || statement.Match(line) || commandLine.Match(line) && shellWork.Match(line) {
			code++
		}
	}
	return code < 2 || 3*code < lines
}
