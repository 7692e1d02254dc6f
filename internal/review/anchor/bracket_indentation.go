package anchor

import (
	"slices"
	"strings"
)

// labels are words whose lines may begin at the margin of their block.
var labels = []string{"case", "default", "public", "private", "protected", "signals", "slots"}

// isNeat reports whether new lines are indented as the brackets between them demand: deeper inside brackets,
// a closing bracket at the column of the line that opened it, and never deeper than the line before without
// a reason. A line that repeats a replaced one may stand at that line's column.
func (p *proposal) isNeat(lines []string) bool {
	syn, at := syntaxOf(p.language), firstFilled(lines)
	if at < 0 || syn == nil {
		return true
	}
	braces := syn.hasBraces()
	base, depth, outer, inside, before := columnOf(indentOf(lines[at])), 0, 0, false, ""
	var opened []int // the columns of the lines that opened the brackets
	tag := false     // the line stands in a tag that goes on
	for i, l := range lines {
		t := strings.TrimSpace(l)
		if t == "" || inside {
			inside = inside != (strings.Count(l, "`")%2 == 1)
			continue
		}
		closing := len(t) - len(strings.TrimLeft(t, ")]}"))
		if i == at {
			depth = closing
		}
		level, column := depth-closing, columnOf(indentOf(l))
		word := t[:len(t)-len(strings.TrimLeftFunc(t, partOfWord))]
		label := slices.Contains(labels, word) || strings.HasPrefix(t, "#") || strings.HasSuffix(t, ":")
		good := true
		switch {
		case i == at || p.countKept([]string{l}) > 0:
		case level > 0:
			good = column > base || label && column == base || closing > 0 && closing <= len(opened) && column == opened[len(opened)-closing]
		case tag && closing == 0:
			good = column >= base
		case level < 0 && closing > 0:
			good = column < base || base == 0 && column == 0
		case level < 0:
			good = column == outer
		case closing > 0:
			good = column == base
		case label:
			good = column <= base
		case braces && column > base:
			good = continuesLine(before) || continuesLine(t[:1]) || before == ")" || before == "else"
		default:
			good = column >= base
		}
		if !good {
			return false
		}
		if level < 0 && closing > 0 {
			outer = column
		}
		syn.scanTokens(l, func(k kind, _ int, piece string) {
			switch {
			case k == kindComment:
				return
			case k != kindCode:
			case strings.Contains("([{", piece):
				depth++
				opened = append(opened, column)
			case strings.Contains(")]}", piece):
				depth--
				opened = opened[:max(len(opened)-1, 0)]
			}
			before = piece
		})
		if tag = tag || beginsTag(t); strings.HasSuffix(t, ">") && !strings.HasSuffix(t, "=>") {
			tag = false
		}
		inside = strings.Count(l, "`")%2 == 1 && strings.IndexByte(syn.raw, '`') >= 0
	}
	return true
}

// beginsTag reports whether a line begins with the name of an element.
func beginsTag(text string) bool {
	return len(text) > 1 && text[0] == '<' && partOfWord(rune(text[1]))
}

// isComplete reports whether no statement of the new lines is cut off. They must not newly end with an operator,
// and must have as many branches as the replaced lines.
func (p *proposal) isComplete(lines []string) bool {
	syn := syntaxOf(p.language)
	if !syn.hasBraces() {
		return true
	}
	end, was := lastCode(syn, lines), lastCode(syn, p.old)
	if end != was && (slices.Contains([]string{"=", "+", "-", "*", "/", "%", "&", "|", "^", "<", ".", "?", "!"}, end) ||
		incompleteEndings[end]) {
		return false
	}
	blocks := hasWholeBlocks(syn, p.old)
	cases := func(list []string) (n int) {
		for _, l := range list {
			if word := strings.Fields(l + " ."); branches[word[0]] && !(blocks && loops[word[0]]) || word[0] == "}" && len(word) > 2 {
				n++
			}
		}
		return n
	}
	return cases(lines) >= cases(p.old)
}

// branches are words of lines on which the lines around them depend.
var branches = wordSet("for while do switch case default: else catch finally")

// loops are those branches on which nothing else depends if their whole blocks are replaced.
var loops = wordSet("for while switch")

// hasWholeBlocks reports whether lines have blocks and every block ends within them.
func hasWholeBlocks(syn *syntax, lines []string) bool {
	opened, depth, whole := 0, 0, true
	syn.scanTokens(strings.Join(lines, "\n"), func(k kind, _ int, piece string) {
		switch {
		case k != kindCode:
		case piece == "{":
			opened++
			depth++
		case piece == "}":
			depth--
			whole = whole && depth >= 0
		}
	})
	return whole && opened > 0 && depth == 0
}

// incompleteEndings are words after which a statement goes on.
var incompleteEndings = wordSet(`if else for while new throw return typeof instanceof in of const let var function class import from extends
		await async switch case`)

// lastCode returns the last word of lines outside comments; for a string, its quotation mark.
func lastCode(syn *syntax, lines []string) (out string) {
	syn.scanTokens(strings.Join(lines, "\n"), func(k kind, _ int, piece string) {
		switch k {
		case kindComment:
		case kindLiteral:
			out = piece[:1]
		default:
			out = piece
		}
	})
	return out
}
