package anchor

// anySyntax stands for languages that nobody described here: what is a comment in
// many of them counts as one.
var anySyntax = &syntax{line: []string{"//", "#", "--", ";", "%"}, block: append(append([][2]string{}, slashes...), markup...), quotes: `"'`, raw: "`"}

// Blank returns a text twice, byte for byte as long: without its comments, and
// without comments and strings; what is left out is spaces, and ends of lines stay.
// What is a comment is told as for fingerprints ([syntax]), which is less than a
// compiler knows. In a language that is not known the signs of many are tried.
func Blank(language, text string) (code, bare string) {
	syn := syntaxOf(language)
	if syn == nil {
		syn = anySyntax
	}
	c, b := []byte(text), []byte(text)
	syn.scanTokens(text, func(k kind, at int, piece string) {
		if k == kindCode {
			return
		}
		for i := at; i < at+len(piece); i++ {
			if text[i] == '\n' {
				continue
			}
			b[i] = ' '
			if k == kindComment {
				c[i] = ' '
			}
		}
	})
	return string(c), string(b)
}
