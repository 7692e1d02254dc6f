package diff

import (
	"bytes"

	"github.com/assay-dev/assay/internal/regexp"
)

var (
	// fence begins and ends a block of code in Markdown.
	fence = regexp.MustCompile("^\\s{0,3}(```|~~~)")
	// moduleLine is a line by which a document is a program: MDX, also where the file is called Markdown.
	moduleLine = regexp.MustCompile(`^(import\s+([\w$*{][^;]*\sfrom\s+)?["']|export\s+(default|const|let|var|function|async|class|\{|\*))`)
	// rawBlock passes markup on as it is, or runs what follows (reStructuredText, AsciiDoc, Org, Textile).
	rawBlock = regexp.MustCompile(`(?i)^\s*(\.\. (raw|include|literalinclude|plot|ipython|jupyter-execute|program-output|command-output|runblock|exec[\w-]*|testcode|testsetup|doctest)::|<<<\s|<!--\s*@include|--8<--|` + "`" + `{3,}\s*(\{[a-z]|dataviewjs)|` + "`" + `{3,}.*monaco-run|\+\+\+\+\s*$|pass::|include::|#\+(begin_export|include|call|babel)\b|#\+property:.*header-args|#\+begin_src\s+(emacs-lisp|elisp)\b|#\+begin_src.*:(tangle|eval|exports)|notextile\.)`)
	// frontMatter begins a document that a generator of sites makes a page of, and codeMatter one in which it runs code.
	frontMatter = regexp.MustCompile(`^(\x{FEFF})?(---|\+\+\+)[ \t]*\r?\n`)
	codeMatter  = regexp.MustCompile(`^(\x{FEFF})?---\s*(js|javascript|coffee|ts)\b`)
	// liquidTag, expression and binding are the syntax of templates in a document: Jekyll, Hugo, VitePress, Slidev, Docusaurus.
	liquidTag  = regexp.MustCompile(`\{%-?\s*\w|\{\{[<%]`)
	expression = regexp.MustCompile(`\{\{.*?\}\}|(^|[^\\$\w])\{\s*[\w$.]+(\(|\[)[^{}]*\}|<%[=@-]?`)
	binding    = regexp.MustCompile(`<[A-Za-z][\w.-]*(\s+[^\s<>"'=]+(\s*=\s*("[^"]*"|'[^']*'|[^\s"'<>]+))?)*?\s+(@|:|v-|#|x-|on:|ng-|client:)[A-Za-z\[]`)
	codeSpan   = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")
	// shellWork is what a command has that does something, beside its name.
	shellWork = regexp.MustCompile(`\||&&|\s-\w|\$\(|://|>`)
)

// Prose reports whether what a diff shows of a document is for people alone. One that is not may still be: its
// whole text says. Blocks of Org may begin above what is shown.
func Prose(name string, shown []byte) bool {
	return named(name).ext != ".org" && kindOf(name, version{content: shown, part: true}).class == ClassDocs
}

// isProse reports whether a document is for people alone: no markup in it runs, and it is not a program under
// the name of a document. Blocks of code count only where the text is whole, because a part of one may begin
// within such a block.
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

// templated reports whether a document has expressions or bindings of a template outside of code; in a page of a
// site they count within code, too.
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
