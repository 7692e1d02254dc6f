package diff

import (
	"bytes"

	"github.com/assay-dev/assay/internal/regexp"
)

var (
	// fence matches the beginning and the end of a code block in Markdown.
	fence = regexp.MustCompile("^\\s{0,3}(```|~~~)")
	// moduleLine matches a line that makes a document a program: MDX, even if the file is called Markdown.
	moduleLine = regexp.MustCompile(`^(import\s+([\w$*{][^;]*\sfrom\s+)?["']|export\s+(default|const|let|var|function|async|class|\{|\*))`)
	// rawBlock matches directives that pass markup through or run the following text (reStructuredText,
	// AsciiDoc, Org, Textile).
	rawBlock = regexp.MustCompile(`(?i)^\s*(\.\. (raw|include|literalinclude|plot|ipython|jupyter-execute|program-output|command-output|` +
		`runblock|exec[\w-]*|testcode|testsetup|doctest)::|<<<\s|<!--\s*@include|--8<--|` +
		"`{3,}\\s*(\\{[a-z]|dataviewjs)|`{3,}.*monaco-run|" +
		`\+\+\+\+\s*$|pass::|include::|#\+(begin_export|include|call|babel)\b|#\+property:.*header-args|` +
		`#\+begin_src\s+(emacs-lisp|elisp)\b|#\+begin_src.*:(tangle|eval|exports)|notextile\.)`)
	// frontMatter matches the beginning of a page of a site generator. codeMatter matches one that contains
	// code.
	frontMatter = regexp.MustCompile(`^(\x{FEFF})?(---|\+\+\+)[ \t]*\r?\n`)
	codeMatter  = regexp.MustCompile(`^(\x{FEFF})?---\s*(js|javascript|coffee|ts)\b`)
	// liquidTag, expression and binding match template syntax: Jekyll, Hugo, VitePress, Slidev, Docusaurus.
	liquidTag  = regexp.MustCompile(`\{%-?\s*\w|\{\{[<%]`)
	expression = regexp.MustCompile(`\{\{.*?\}\}|(^|[^\\$\w])\{\s*[\w$.]+(\(|\[)[^{}]*\}|<%[=@-]?`)
	binding    = regexp.MustCompile(`<[A-Za-z][\w.-]*(\s+[^\s<>"'=]+(\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>]+))?)*?\s+(@|:|v-|#|x-|on:|` +
		`ng-|client:)[A-Za-z\[]`)
	codeSpan = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")
	// shellWork matches the parts of a shell command that show that it does something.
	shellWork = regexp.MustCompile(`\||&&|\s-\w|\$\(|://|>`)
)

// Prose reports whether the shown part of a document is for people only. If it returns false, the whole
// text may still be. Org documents always return false, because an Org block may begin above the shown
// part.
func Prose(name string, shown []byte) bool {
	return named(name).ext != ".org" && kindOf(name, version{content: shown, part: true}).class == ClassDocs
}

// isProse reports whether a document is for people only: it contains no markup that runs, and is not a
// program with the name of a document. Code blocks are recognised only in a whole text, because a part may
// begin inside one.
func isProse(content []byte, whole bool) bool {
	if runnable.Match(content) || codeMatter.Match(content) || liquidTag.Match(content) || templated(content, whole) {
		return false
	}
	lines, code, within := 0, 0, false
	for line := range bytes.Lines(content) {
		switch {
		case !within && rawBlock.Match(line):
			return false
		case whole && fence.Match(line):
			within = !within
			continue
		case within || len(bytes.TrimSpace(line)) == 0:
			continue
		case moduleLine.Match(line):
			return false
		}
		lines++
		if programLine.Match(line) || statement.Match(line) || commandLine.Match(line) && shellWork.Match(line) {
			code++
		}
	}
	return code < 2 || 3*code < lines
}

// templated reports whether a document has template expressions or bindings outside code. In a page of a
// site generator, those inside code count too.
func templated(content []byte, whole bool) bool {
	if !whole || frontMatter.Match(content) {
		return expression.Match(content) || binding.Match(content)
	}
	var bare bytes.Buffer
	within := false
	for line := range bytes.Lines(content) {
		if fence.Match(line) {
			within = !within
		} else if !within {
			bare.Write(codeSpan.ReplaceAll(line, []byte("-")))
		}
	}
	return expression.Match(bare.Bytes()) || binding.Match(bare.Bytes())
}
