package anchor

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
)

// maxLayout is the most bytes of a file whose structure is checked for a suggestion.
const maxLayout = 1 << 20

// layout checks suggestions in a language whose white space has a meaning.
type layout struct {
	syntax *syntax
	// check reports whether lines first to last of the changed file now, and the code below them, are
	// nested as the language demands. before and lastBefore are the file and its last replaced line before
	// the change.
	check func(l *layout, now, before *layoutText, first, last, lastBefore int) bool

	opens   []string // words and signs that open a block at the end of a line
	headers []string // words that open a block at the beginning of a line
	free    bool     // any line may open a block
	flat    bool     // brackets and quotes do not join lines
}

// coffee is the syntax of CoffeeScript.
var coffee = &syntax{line: []string{"#"}, block: [][2]string{{"###", "###"}}, quotes: `"'`,
	strict: &strict{triple: `"'`, multi: `"'`, escape: true}}

var (
	pythonLayout = &layout{syntax: strictSyntax("Python"), check: checkBlocks, opens: strings.Fields(":")}
	yamlLayout   = &layout{syntax: &syntax{}, check: checkYAML, flat: true}
	makeLayout   = &layout{syntax: &syntax{line: []string{"#"}}, check: checkMake, flat: true}
	nimLayout    = &layout{syntax: strictSyntax("Nim"), check: checkBlocks,
		opens: strings.Fields(": = enum of type const let var import")}
	gdLayout     = &layout{syntax: strictSyntax("Python"), check: checkBlocks, opens: strings.Fields(":")}
	coffeeLayout = &layout{syntax: coffee, check: checkBlocks,
		opens:   strings.Fields("-> => = : then else try finally"),
		headers: strings.Fields("if unless for while until switch class when loop catch")}
	fsharpLayout = &layout{syntax: strictSyntax("FSharp"), check: checkBlocks,
		opens: strings.Fields("= -> then do with try else finally begin struct")}
	elmLayout  = &layout{syntax: strictSyntax("Elm"), check: checkBlocks, opens: strings.Fields("= -> then else of let")}
	freeLayout = &layout{syntax: strictSyntax("Haskell"), check: checkBlocks, free: true, opens: strings.Fields("= -> then do where of let")}
	textLayout = &layout{syntax: &syntax{}, check: checkBlocks, free: true, flat: true}
)

// layouts maps extensions, and language names of linguist and of ours, to layouts.
var layouts = func() map[string]*layout {
	out := map[string]*layout{}
	for l, names := range map[*layout]string{
		pythonLayout: `.py .pyi .pyw .bzl .star .pyx .pxd .smk Python Starlark Cython`,
		textLayout: `.rpy .cabal .haml .slim .pug .jade .sass .styl .rst .md .mdx .robot .resource .f .for .f77 .cob .cbl .cpy
			Haml Slim Pug Sass Stylus reStructuredText markdown Markdown RobotFramework COBOL`,
		gdLayout:     `.mojo .gd GDScript`,
		yamlLayout:   `.yaml .yml .cff .sls YAML`,
		makeLayout:   `.mk .mak Makefile`,
		nimLayout:    `.nim .nims .nimble Nim`,
		coffeeLayout: `.coffee .cjsx .iced .ls CoffeeScript LiveScript`,
		fsharpLayout: `.fs .fsi .fsx FSharp F#`,
		elmLayout:    `.elm Elm`,
		freeLayout:   `.hs .lhs .hsc .purs .agda .idr .lean Haskell PureScript Agda Idris Lean`,
	} {
		for name := range wordSet(names) {
			out[name] = l
		}
	}
	return out
}()

// layoutOf returns the layout of a file, nil if white space has no meaning in it.
func layoutOf(f *diff.File) *layout {
	if f == nil {
		return nil
	}
	switch base := strings.ToLower(path.Base(f.Path)); base {
	case "makefile", "gnumakefile", "kbuild":
		return makeLayout
	case "build", "workspace", "build.bazel", "module.bazel", "workspace.bazel", "snakefile", "sconstruct", "sconscript",
		"wscript", "tiltfile":
		return pythonLayout
	}
	if l := layouts[f.Language]; l != nil {
		return l
	}
	return layouts[strings.ToLower(path.Ext(f.Path))]
}

// line is one line of a file, prepared for a check.
type line struct {
	lead   string
	column int // a tab counts up to the next multiple of eight
	inside bool
	code   []string // words and signs outside comments; a string is its quotation mark
}

// has reports whether a line has code and begins a statement.
func (l line) has() bool { return len(l.code) > 0 && !l.inside }

func (l line) first() string { return l.code[0] }
func (l line) last() string  { return l.code[len(l.code)-1] }

// layoutText is a file as the checks of layouts see it, with lines counted from 1.
type layoutText struct {
	text  []string
	lines []line
}

func columnOf(in string) (n int) {
	for _, c := range in {
		if n++; c == '\t' {
			n = (n + 7) / 8 * 8
		}
	}
	return n
}

// read splits a file into lines and marks those that continue the line before: inside brackets, strings and
// comments, and after a backslash.
func (l *layout) read(content []byte) *layoutText {
	text := string(content)
	r := &layoutText{text: append([]string{""}, splitText(content)...)}
	r.lines = make([]line, len(r.text))
	for i, t := range r.text {
		r.lines[i].lead = indentOf(t)
		r.lines[i].column = columnOf(r.lines[i].lead)
	}
	at, read, depth := 1, 0, 0
	next := func(inside bool) {
		back := at > 0 && strings.HasSuffix(r.text[at], "\\")
		if at++; at < len(r.lines) {
			r.lines[at].inside = inside || back || depth > 0
		}
	}
	l.syntax.scanTokens(text, func(k kind, start int, piece string) {
		for range strings.Count(text[read:start], "\n") {
			next(false)
		}
		read = start + len(piece)
		if k != kindComment && at < len(r.lines) {
			word := piece
			if k == kindLiteral {
				word = piece[:1]
			}
			r.lines[at].code = append(r.lines[at].code, word)
			switch {
			case k == kindLiteral || l.flat:
			case piece == "(", piece == "[", piece == "{":
				depth++
			case piece == ")", piece == "]", piece == "}":
				depth = max(depth-1, 0)
			}
		}
		for range strings.Count(piece, "\n") {
			next(true)
		}
	})
	for range strings.Count(text[read:], "\n") {
		next(false)
	}
	return r
}

// splitText returns the lines of a file without their line ends.
func splitText(content []byte) []string {
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// after returns the number of the first statement below a line, or 0.
func (r *layoutText) after(at int) int {
	for i := at + 1; i < len(r.lines); i++ {
		if r.lines[i].has() {
			return i
		}
	}
	return 0
}

// upTo returns the number of the last statement that begins at or above a line, or 0.
func (r *layoutText) upTo(at int) int {
	for i := min(at, len(r.lines)-1); i > 0; i-- {
		if r.lines[i].has() {
			return i
		}
	}
	return 0
}

// columns returns the columns of the statements that enclose a line, and its own.
func (r *layoutText) columns(at int) []int {
	if at == 0 {
		return nil
	}
	out := []int{r.lines[at].column}
	for i := at - 1; i > 0 && out[0] > 0; i-- {
		if l := r.lines[i]; l.has() && l.column < out[0] {
			out = slices.Insert(out, 0, l.column)
		}
	}
	return out
}

// end returns the last word of the statement that begins in a line.
func (r *layoutText) end(at int) string {
	word := r.lines[at].last()
	for i := at + 1; i < len(r.lines) && r.lines[i].inside; i++ {
		if n := len(r.lines[i].code); n > 0 {
			word = r.lines[i].code[n-1]
		}
	}
	return word
}

// opensBlock reports whether a deeper statement must follow the statement in a line.
func (l *layout) opensBlock(r *layoutText, at int) bool {
	first := r.lines[at]
	if end := r.end(at); slices.Contains(l.opens, end) || end == ">" && slices.ContainsFunc(l.opens, func(o string) bool {
		return o != ">" && strings.HasSuffix(o, ">") && strings.HasSuffix(strings.Join(first.code, ""), o)
	}) {
		return true
	}
	return slices.Contains(l.headers, first.first()) && !slices.Contains(first.code, "then")
}

// checkColumns checks that the statement below the range is still in the same blocks.
func checkColumns(_ *layout, now, before *layoutText, _, last, lastBefore int) bool {
	return slices.Equal(now.columns(now.after(last)), before.columns(before.after(lastBefore)))
}

// checkBlocks checks languages for which only the words that open blocks are known.
func checkBlocks(l *layout, now, before *layoutText, first, last, lastBefore int) bool {
	next, was := now.after(last), before.after(lastBefore)
	end := now.upTo(last)
	if !checkColumns(l, now, before, first, last, lastBefore) {
		return false
	}
	if until := before.upTo(lastBefore); next > 0 && end > 0 && until > 0 {
		deeper, wasDeeper := now.lines[next].column > now.lines[end].column, before.lines[was].column > before.lines[until].column
		if deeper && (!wasDeeper || now.lines[end].column != before.lines[until].column) {
			return false
		}
		if wasDeeper && (!deeper || l.opensBlock(before, until) && !l.opensBlock(now, end)) {
			return false
		}
	}
	for i := max(now.upTo(first-1), 1); i <= max(last, first-1); i++ {
		if !now.lines[i].has() {
			continue
		}
		below, opens := now.after(i), l.opensBlock(now, i)
		deeper := now.deeper(i)
		switch {
		case opens && !deeper && (i >= first || before.deeper(i)):
			return false
		case deeper && !opens && !l.free && below <= last && !continuesLine(now.end(i)):
			return false
		case !deeper && below > 0 && below <= last && !slices.Contains(now.columns(i), now.lines[below].column):
			return false
		}
	}
	return true
}

// deeper reports whether the statement below a line is indented more.
func (r *layoutText) deeper(at int) bool {
	below := r.after(at)
	return below > 0 && r.lines[below].column > r.lines[at].column
}

// extendOver reports whether a statement continues in the next line, by the last sign of its line.
func continuesLine(word string) bool {
	return word != "" && strings.ContainsAny(word[len(word)-1:], ",+-*/|&<>=.\\([{$:?")
}

// makeRule matches a line that begins like a rule but is indented like a recipe.
var makeRule = regexp.MustCompile(`^\t\s*[\w.%/$(){}-]+\s*::?(?:\s|$)`)

// makeConditions are words of makefile lines that may stand among recipes.
var makeConditions = wordSet("ifeq ifneq ifdef ifndef else endif define")

// checkMake checks that recipes have their tabs and their rules.
func checkMake(_ *layout, now, before *layoutText, first, last, lastBefore int) bool {
	recipe := func(r *layoutText, i int) bool { return strings.HasPrefix(r.text[i], "\t") }
	words := func(r *layoutText, from, to int) (out string) {
		for _, t := range r.text[from : to+1] {
			word, _, _ := strings.Cut(strings.TrimSpace(t), " ")
			switch word {
			case "ifeq", "ifneq", "ifdef", "ifndef", "define":
				out += "+"
			case "else":
				out += "|"
			case "endif", "endef":
				out += "-"
			}
		}
		return out
	}
	below := func(r *layoutText, i int) bool { // reports whether a recipe may stand below the line
		for ; i > 0; i-- {
			t := strings.TrimSpace(r.text[i])
			word, _, _ := strings.Cut(t, " ")
			switch {
			case recipe(r, i):
				return true
			case t == "" || strings.HasPrefix(t, "#") || makeConditions[word]:
				continue
			case i > 1 && strings.HasSuffix(r.text[i-1], "\\"):
				continue
			}
			name, rest, rule := strings.Cut(t, ":")
			return rule && !strings.ContainsAny(name, "=") && !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, ":=")
		}
		return false
	}
	if words(now, first, last) != words(before, first, lastBefore) {
		return false
	}
	all := true // all replaced lines are recipes
	for i := first; i <= lastBefore; i++ {
		all = all && (recipe(before, i) || strings.TrimSpace(before.text[i]) == "")
	}
	for i := first; i <= min(last+1, len(now.text)-1); i++ {
		t := now.text[i]
		goes := i > 1 && strings.HasSuffix(now.text[i-1], "\\")
		switch {
		case strings.TrimSpace(t) == "":
		case i <= last && all && !recipe(now, i) && !goes:
			return false
		case recipe(now, i) && !goes && !below(now, i-1),
			i <= last && recipe(now, i) && !goes && makeRule.MatchString(t) && !slices.Contains(before.text, t):
			return false // the second case is a rule that was moved into a recipe
		case !recipe(now, i) && !goes && i <= last && !strings.ContainsAny(t, ":=#") && words(now, i, i) == "" &&
			!strings.HasPrefix(t, "include ") && !strings.HasPrefix(t, "-include ") && !strings.Contains(t, "$("):
			return false // make would report "missing separator"
		}
	}
	return true
}

// wordSet returns the set of the words of a text.
func wordSet(words string) map[string]bool { return languages(strings.Fields(words)...) }
