package anchor

import "strings"

// expressionsEnd reports whether every expression in a string ends inside it. An expression begins with a mark
// such as ${ and ends at its brace. If doubled is true, two braces stand for one literal brace.
func expressionsEnd(text, mark string, doubled bool) bool {
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
