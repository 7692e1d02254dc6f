package structure

// syntax describes the comments and literals of a language, as far as they decide which lines are code.
type syntax struct {
	lineSigns  []string    // begin a comment that ends with the line
	comments   [][2]string // begin and end of other comments
	literals   [][2]string // begin and end of literals over lines, longest first
	quotes     string      // begin and end literals in one line
	spanning   string      // quotes whose literals may go on in the next lines
	apart      bool        // the sign of a comment stands behind white space
	chars      bool        // an apostrophe encloses one character, and may stand alone
	templates  bool        // backticks enclose text and code
	patterns   bool        // slashes enclose regular expressions
	documents  bool        // "<<" begins a here-document
	directives bool        // a line that begins with "#" is for the preprocessor
	labels     bool        // a name before a colon is a label
	raw        bool        // R"(…)" or r#"…"#
	verbatim   bool        // @"…", in which a doubled quote is text
	shell      bool        // a blank may stand before the name of a here-document
}

// cLike are the comments of most languages.
var cLike = [][2]string{{"/*", "*/"}}

// tripled are literals over lines of many languages.
var tripled = [][2]string{{`"""`, `"""`}}

// tripledBoth are such literals in either kind of quotes.
var tripledBoth = [][2]string{{`"""`, `"""`}, {"'''", "'''"}}

// jsSyntax is the syntax of JavaScript and its relatives.
var jsSyntax = syntax{lineSigns: []string{"//"}, comments: cLike, quotes: `"'`, templates: true, patterns: true}

// jvmSyntax is the syntax of languages like Java.
var jvmSyntax = syntax{lineSigns: []string{"//"}, comments: cLike, literals: tripled, quotes: `"`, chars: true, labels: true}

// cSyntax is the syntax of C and its relatives.
var cSyntax = syntax{lineSigns: []string{"//"}, comments: cLike, quotes: `"`, chars: true, directives: true, labels: true, raw: true}

// shellSyntax is the syntax of shells.
var shellSyntax = syntax{lineSigns: []string{"#"}, quotes: `"'`, spanning: `"'`, apart: true, documents: true, shell: true}

// syntaxes are the syntaxes by language. The others are read like C without a preprocessor.
var syntaxes = map[string]syntax{
	"":       {},
	"Python": {lineSigns: []string{"#"}, literals: tripledBoth, quotes: `"'`},
	"Ruby": {lineSigns: []string{"#"}, comments: [][2]string{{"=begin", "=end"}}, quotes: `"'`, spanning: `"'`, apart: true, patterns: true,
		documents: true},
	"Crystal": {lineSigns: []string{"#"}, quotes: `"`, apart: true},
	"Perl": {lineSigns: []string{"#"}, comments: [][2]string{{"=head", "=cut"}, {"=pod", "=cut"}}, quotes: `"'`, apart: true,
		documents: true},
	"PHP":        {lineSigns: []string{"//", "#"}, comments: cLike, quotes: `"'`, spanning: `"'`, documents: true},
	"Bash":       shellSyntax,
	"Shell":      shellSyntax,
	"Fish":       shellSyntax,
	"JavaScript": jsSyntax, "TypeScript": jsSyntax, "TSX": jsSyntax, "JSX": jsSyntax, "react": jsSyntax, "Vue": jsSyntax, "vue": jsSyntax,
	"Svelte": jsSyntax,
	"Java":   jvmSyntax, "Kotlin": jvmSyntax, "Scala": jvmSyntax, "Swift": jvmSyntax,
	"Groovy": {lineSigns: []string{"//"}, comments: cLike, literals: tripledBoth, quotes: `"'`, patterns: true},
	"Dart":   {lineSigns: []string{"//"}, comments: cLike, literals: tripledBoth, quotes: `"'`},
	"C":      cSyntax, "C++": cSyntax, "Objective-C": cSyntax,
	"C#": {lineSigns: []string{"//"}, comments: cLike, literals: tripled, quotes: `"`, chars: true, directives: true, labels: true,
		raw: true, verbatim: true},
	"Rust":   {lineSigns: []string{"//"}, comments: cLike, quotes: `"`, spanning: `"`, chars: true, raw: true},
	"Elixir": {lineSigns: []string{"#"}, literals: tripled, quotes: `"'`, apart: true},
	"Julia":  {lineSigns: []string{"#"}, comments: [][2]string{{"#=", "=#"}}, literals: tripled, quotes: `"`},
	"Nim":    {lineSigns: []string{"#"}, literals: tripled, quotes: `"`},
	"R":      {lineSigns: []string{"#"}, quotes: `"'`},
	"PowerShell": {lineSigns: []string{"#"}, comments: [][2]string{{"<#", "#>"}}, literals: [][2]string{{`@"`, `"@`}, {"@'", "'@"}},
		quotes: `"'`, apart: true},
	"Makefile": {lineSigns: []string{"#"}}, "Docker": {lineSigns: []string{"#"}},
	"SQL":     {lineSigns: []string{"--"}, comments: cLike, quotes: `'"`},
	"Lua":     {lineSigns: []string{"--"}, comments: [][2]string{{"--[[", "]]"}}, literals: [][2]string{{"[[", "]]"}}, quotes: `"'`},
	"Haskell": {lineSigns: []string{"--"}, comments: [][2]string{{"{-", "-}"}}, quotes: `"`, chars: true},
	"Elm":     {lineSigns: []string{"--"}, comments: [][2]string{{"{-", "-}"}}, quotes: `"`, chars: true},
	"Ada":     {lineSigns: []string{"--"}, quotes: `"`, chars: true},
}

// syntaxOf returns the syntax of a language.
func syntaxOf(language string) syntax {
	if s, known := syntaxes[language]; known {
		return s
	}
	return syntax{lineSigns: []string{"//"}, comments: cLike, quotes: `"`, chars: true}
}

// IsScript reports whether a language is JavaScript or one of its relatives.
func IsScript(language string) bool {
	s, known := syntaxes[language]
	return known && s.templates
}
