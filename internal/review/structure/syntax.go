package structure

import "slices"

// syntax describes the comments and literals of a language. It is the one table for outlines, for names in code, and, by
// [SignsOf], for fingerprints and for decisions about what is code.
type syntax struct {
	lineSigns  []string    // begin a comment that ends with the line
	comments   [][2]string // begin and end of other comments
	further    [][2]string // more of them, which fingerprints do not read
	disabled   [][2]string // begin and end of disabled code, which is a comment where in doubt code is one
	literals   [][2]string // begin and end of literals over lines, longest first
	quotes     string      // begin and end literals in one line
	spanning   string      // quotes whose literals may go on in the next lines
	multi      string      // quotes whose literals go on in the next lines where in doubt code is a literal
	printed    string      // quotes for fingerprints, if they are not the others
	apart      bool        // the sign of a comment stands behind white space
	chars      bool        // an apostrophe encloses one character, and may stand alone
	primes     bool        // an apostrophe is often a part of a name
	templates  bool        // backticks enclose text and code
	patterns   bool        // slashes enclose regular expressions
	percents   bool        // %q(…) and %w[…] are literals
	documents  bool        // "<<" begins a here-document
	directives bool        // a line that begins with "#" is for the preprocessor
	labels     bool        // a name before a colon is a label
	raw        bool        // R"(…)" or r#"…"#
	verbatim   bool        // @"…", in which a doubled quote is text
	shell      bool        // a blank may stand before the name of a here-document
	nested     bool        // comments may contain comments
	markup     bool        // text with tags, in which scripts and styles may stand
	prose      bool        // text may stand between code; an apostrophe between letters is one
	pages      bool        // code stands between <? and ?>
	unprinted  bool        // fingerprints do not read the language
	inner      []inner     // code in literals
}

// inner is code in a literal.
type inner struct {
	quotes string // quotes that begin the literal
	before string // one of these stands in the word before the quote; "*" for any word, "" for no condition
	open   string // begins an expression; "" if there are only names
	end    byte   // ends it
	format bool   // the format of the value stands behind a colon, and a doubled sign is text
	names  bool   // a dollar sign begins a name
	dotted bool   // with the names behind its dots and arrows
}

// Signs of many languages.
var (
	slashes     = []string{"//"}
	hashes      = []string{"#"}
	dashes      = []string{"--"}
	cLike       = [][2]string{{"/*", "*/"}}
	tags        = [][2]string{{"<!--", "-->"}}
	tripled     = [][2]string{{`"""`, `"""`}}
	tripledBoth = [][2]string{{`"""`, `"""`}, {"'''", "'''"}}
	ifZero      = [][2]string{{"\n#if 0", "\n#endif"}}
)

// The code in literals of groups of languages.
var (
	dollarBraces = []inner{{quotes: `"`, open: "${", end: '}', names: true}}
	eitherQuote  = []inner{{quotes: `"'`, open: "${", end: '}', names: true}}
	groovyInner  = []inner{{quotes: `"`, open: "${", end: '}', names: true, dotted: true}}
	hashBraces   = []inner{{quotes: `"`, open: "#{", end: '}'}}
	shellInner   = []inner{{quotes: `"`, open: "$(", end: ')'}, {quotes: `"`, open: "${", end: '}', names: true}}
	phpInner     = []inner{{quotes: `"`, open: "{$", end: '}', names: true, dotted: true}, {quotes: `"`, open: "${", end: '}'}}
	pythonInner  = []inner{{quotes: `"'`, before: "fFtT", open: "{", end: '}', format: true}}
)

// The syntaxes of groups of languages.
var (
	// plainSyntax is for languages without an entry, and for files that have no outline.
	plainSyntax = syntax{lineSigns: slashes, comments: cLike, quotes: `"`, chars: true}
	textSyntax  = syntax{lineSigns: slashes, comments: cLike, quotes: `"'`}
	hashSyntax  = syntax{lineSigns: hashes, quotes: `"'`, apart: true}
	jsSyntax    = syntax{lineSigns: slashes, comments: cLike, quotes: `"'`, templates: true, patterns: true, prose: true}
	pageSyntax  = syntax{lineSigns: slashes, comments: slices.Concat(tags, cLike), quotes: `"'`, printed: `"`, templates: true, patterns: true,
		prose: true, markup: true}
	jvmSyntax = syntax{lineSigns: slashes, comments: cLike, literals: tripled, quotes: `"`, chars: true, labels: true, nested: true}
	cSyntax   = syntax{lineSigns: slashes, comments: cLike, disabled: ifZero, quotes: `"`, chars: true, directives: true, labels: true,
		raw: true}
	shellSyntax = syntax{lineSigns: hashes, quotes: `"'`, spanning: `"'`, multi: `"'`, apart: true, documents: true, shell: true,
		inner: shellInner}
	phpSyntax = syntax{lineSigns: []string{"//", "#"}, comments: cLike, quotes: `"'`, spanning: `"'`, multi: `"'`, documents: true,
		prose: true, pages: true, inner: phpInner}
	hclSyntax = syntax{lineSigns: []string{"//", "#"}, comments: cLike, quotes: `"'`, inner: dollarBraces}
	mlSyntax  = syntax{lineSigns: slashes, comments: [][2]string{{"(*", "*)"}}, quotes: `"`, multi: `"`, chars: true, primes: true,
		nested: true}
	// haskellSyntax has dashes, which are an operator beside other signs; few lines have one.
	haskellSyntax = syntax{lineSigns: dashes, comments: [][2]string{{"{-", "-}"}}, quotes: `"`, chars: true, primes: true, nested: true}
	percentSyntax = syntax{lineSigns: []string{"%"}, quotes: `"`}
	tagSyntax     = syntax{comments: tags, quotes: `"`, markup: true}
)

// syntaxes are the syntaxes by language.
var syntaxes = map[string]syntax{
	"":       {},
	"Go":     {lineSigns: slashes, comments: cLike, literals: [][2]string{{"`", "`"}}, quotes: `"`, chars: true},
	"Python": {lineSigns: hashes, literals: tripledBoth, quotes: `"'`, inner: pythonInner},
	"Ruby": {lineSigns: hashes, further: [][2]string{{"=begin", "=end"}}, quotes: `"'`, spanning: `"'`, multi: `"'`, apart: true,
		patterns: true, percents: true, documents: true, inner: hashBraces},
	"Crystal": {lineSigns: hashes, quotes: `"`, multi: `"`, apart: true, chars: true, percents: true, inner: hashBraces},
	"Perl": {lineSigns: hashes, further: [][2]string{{"=head", "=cut"}, {"=pod", "=cut"}, {"=begin", "=cut"}, {"=for", "=cut"},
		{"=item", "=cut"}}, quotes: `"'`, multi: `"'`, apart: true, documents: true,
		inner: []inner{{quotes: `"`, open: "@{", end: '}', names: true, dotted: true}}},
	"PHP": phpSyntax, "HTML+PHP": notPrinted(phpSyntax),
	"Bash": shellSyntax, "Fish": shellSyntax,
	"JavaScript": jsSyntax, "TypeScript": jsSyntax, "react": jsSyntax, "vue": pageSyntax, "Svelte": pageSyntax,
	"Java":   {lineSigns: slashes, comments: cLike, literals: tripled, quotes: `"`, chars: true, labels: true},
	"Kotlin": with(jvmSyntax, dollarBraces),
	"Scala":  with(jvmSyntax, []inner{{quotes: `"`, before: "*", open: "${", end: '}', names: true}}),
	"Swift":  with(jvmSyntax, []inner{{quotes: `"`, open: `\(`, end: ')'}}),
	"Groovy": {lineSigns: slashes, comments: cLike, literals: tripledBoth, quotes: `"'`, patterns: true, inner: groovyInner},
	"Dart":   {lineSigns: slashes, comments: cLike, literals: tripledBoth, quotes: `"'`, nested: true, inner: eitherQuote},
	"C":      cSyntax, "C++": cSyntax, "Objective-C": cSyntax,
	"C#": {lineSigns: slashes, comments: cLike, disabled: [][2]string{{"\n#if false", "\n#endif"}}, literals: tripled, quotes: `"`, multi: `"`,
		chars: true, directives: true, labels: true, raw: true, verbatim: true,
		inner: []inner{{quotes: `"`, before: "$", open: "{", end: '}', format: true}}},
	"Rust": {lineSigns: slashes, comments: cLike, quotes: `"`, spanning: `"`, multi: `"`, chars: true, primes: true, raw: true,
		nested: true},
	"Elixir": {lineSigns: hashes, literals: tripledBoth, quotes: `"'`, multi: `"`, apart: true, inner: hashBraces},
	"Julia": {lineSigns: hashes, further: [][2]string{{"#=", "=#"}}, literals: tripled, quotes: `"`, multi: `"`, chars: true, nested: true,
		inner: []inner{{quotes: `"`, open: "$(", end: ')', names: true}}},
	"Nim": {lineSigns: hashes, further: [][2]string{{"#[", "]#"}}, literals: tripled, quotes: `"`, chars: true, nested: true,
		inner: []inner{{quotes: `"`, before: "t&", open: "{", end: '}', format: true}}},
	"R": {lineSigns: hashes, quotes: `"'`, multi: `"'`},
	"PowerShell": {lineSigns: hashes, comments: [][2]string{{"<#", "#>"}}, literals: [][2]string{{`@"`, `"@`}, {"@'", "'@"}},
		quotes: `"'`, multi: `"'`, apart: true, inner: []inner{{quotes: `"@`, open: "$(", end: ')', names: true, dotted: true}}},
	"Makefile": {lineSigns: hashes, printed: `"'`}, "Docker": {lineSigns: hashes, printed: `"'`},
	"SQL": {lineSigns: dashes, comments: cLike, quotes: `'"`, multi: `'"`},
	"Lua": {lineSigns: dashes, comments: [][2]string{{"--[[", "]]"}}, disabled: [][2]string{{"[[", "]]"}}, literals: [][2]string{{"[[", "]]"}},
		quotes: `"'`},
	"Haskell": manyLines(haskellSyntax), "Elm": haskellSyntax,
	"Ada": {lineSigns: dashes, quotes: `"`, chars: true, unprinted: true},

	"D": {lineSigns: slashes, comments: cLike, further: [][2]string{{"/+", "+/"}}, literals: [][2]string{{"`", "`"}}, quotes: `"`,
		chars: true, nested: true},
	"V":   with(plainSyntax, eitherQuote),
	"Zig": plainSyntax, "systemverilog": plainSyntax,
	"Solidity": textSyntax, "Protocol Buffer": textSyntax, "JSON": textSyntax, "SCSS": textSyntax, "LessCss": textSyntax, "Sass": textSyntax,
	"Go Module": textSyntax, "CSS": {comments: cLike, quotes: `"'`},
	"CMake": {lineSigns: hashes, further: [][2]string{{"#[[", "]]"}}, quotes: `"`, printed: `"'`, inner: dollarBraces},
	"YAML":  {lineSigns: hashes, quotes: `"'`, multi: `"'`, apart: true}, "Rego": hashSyntax,
	"TOML":       {lineSigns: hashes, literals: tripledBoth, quotes: `"'`, apart: true},
	"GraphQL":    {lineSigns: hashes, literals: tripled, quotes: `"`, printed: `"'`},
	"properties": {lineSigns: []string{"#", ";"}, quotes: `"`}, "INI": {lineSigns: []string{"#", ";"}, quotes: `"`},
	"Terraform": hclSyntax, "HCL": hclSyntax, "Thrift": hclSyntax,
	"Nix":  {lineSigns: hashes, comments: cLike, quotes: `"`, inner: dollarBraces},
	"VHDL": {lineSigns: dashes, quotes: `"`, chars: true, primes: true}, "OCaml": mlSyntax, "FSharp": withLiterals(mlSyntax, tripled),
	"Clojure": {lineSigns: []string{";"}, quotes: `"`, multi: `"`}, "Erlang": {lineSigns: []string{"%"}, quotes: `"`, multi: `"`},
	"TeX":    percentSyntax,
	"VB.net": {lineSigns: []string{"'"}, quotes: `"`}, "Batchfile": {lineSigns: []string{"::", "REM "}, quotes: `"`},
	"HTML": tagSyntax, "XML": tagSyntax, "markdown": tagSyntax, "Go HTML Template": tagSyntax,
}

func with(s syntax, code []inner) syntax {
	s.inner = code
	return s
}

func withLiterals(s syntax, literals [][2]string) syntax {
	s.literals = literals
	return s
}

func manyLines(s syntax) syntax {
	s.multi = s.quotes
	return s
}

func notPrinted(s syntax) syntax {
	s.unprinted = true
	return s
}

// syntaxOf returns the syntax of a language.
func syntaxOf(language string) syntax {
	if s, known := syntaxes[language]; known {
		return s
	}
	return plainSyntax
}

// IsScript reports whether a language is JavaScript or one of its relatives.
func IsScript(language string) bool {
	s, known := syntaxes[language]
	return known && s.templates
}
