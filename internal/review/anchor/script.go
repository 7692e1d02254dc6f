package anchor

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

var (
	// scriptBefore has the words of JavaScript and TypeScript behind which an operand or a name may stand.
	scriptBefore = wordSet(`abstract accessor as asserts async await case class const declare default defer delete do else enum export
		extends for from function get global implements import in infer instanceof interface is keyof let module
		namespace new of out override private protected public readonly return satisfies set static throw type typeof
		unique using var void yield break continue`)
	// scriptBehind has the words that may stand behind an operand.
	scriptBehind = wordSet(`as extends from implements in instanceof is of satisfies assert with`)
)

// isScript reports whether a file is JavaScript or TypeScript without elements of HTML in it.
func isScript(language, name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return (language == "JavaScript" || language == "TypeScript") && ext != ".jsx" && ext != ".tsx"
}

// scriptLine looks for what no line of JavaScript or TypeScript has: two operands side
// by side, and a case without its colon.
func scriptLine(line string) bool {
	var code []string
	var ends []int
	good := true
	likeScript.scanTokens(line, func(k kind, at int, piece string) {
		switch k {
		case kindComment:
			return
		case kindLiteral:
			piece = piece[:1]
		default:
		}
		n := len(code)
		if n > 0 && scriptOperand(code[n-1]) && code[n-1] != "'" && code[n-1] != `"` && !(n == 1 && code[0] == "type") {
			digit := piece != "" && unicode.IsDigit(rune(piece[0]))
			word := piece == "'" || piece == `"` || digit || scriptOperand(piece) && piece != "`" && !scriptBehind[piece]
			good = good && (!word || at == ends[n-1])
		}
		code, ends = append(code, piece), append(ends, at+len(piece))
	})
	if len(code) > 1 && code[0] == "case" {
		good = good && slices.Contains(code, ":")
	}
	if len(code) > 0 && code[0] == "default" {
		good = good && len(code) > 1
	}
	return good
}

func scriptOperand(piece string) bool {
	r := []rune(piece)[0]
	return piece == "]" || piece == "'" || piece == `"` || partOfWord(r) && !scriptBefore[piece]
}

// filledIn reports whether the expressions in a string with places for them end in it:
// behind a mark such as ${ up to its brace. Where braces are doubled, two are text.
func filledIn(text, mark string, doubled bool) bool {
	for {
		i := strings.Index(text, mark)
		if i < 0 {
			return !doubled || strings.Count(text, "}")%2 == 0
		}
		if doubled && strings.HasPrefix(text[i:], mark+mark) {
			text = text[i+2*len(mark):]
			continue
		}
		if doubled && strings.Count(text[:i], "}")%2 != 0 {
			return false
		}
		text = text[i+len(mark):]
		open := []byte{'{'}
		at := 0
		for ; at < len(text) && len(open) > 0; at++ {
			switch c := text[at]; c {
			case '(', '[', '{':
				open = append(open, c)
			case ')', ']', '}':
				if open[len(open)-1] != partner[string(c)] {
					return false
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			return false
		}
		text = text[at:]
	}
}
