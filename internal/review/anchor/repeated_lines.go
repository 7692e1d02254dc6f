package anchor

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/review/structure"
)

// Reasons against a suggestion that repeats code around the replaced lines.
const (
	whyRepeats = "it repeats lines around those that it replaces, which would stand there twice"
	whyContext = "it holds nothing but lines that stand around those that it replaces"
)

const (
	maxRepeated         = 100  // lines of a proposed text whose ends are examined
	maxNearby           = 8    // lines above and below that a first or last line may repeat
	minLikeness         = 0.6  // of an edited line
	minSameWordLikeness = 0.75 // of a line with the same first word
	minAnyLikeness      = 0.85 // of a line with any first word
	minLikeLength       = 12   // minimum characters of a line that can be like another
)

// trimRepeats removes lines from the beginning and end of a proposed text that repeat the lines directly above
// and below the replaced ones. Models write such lines when they show a whole function or a neighbour.
// trims returns each possible cut, or the text itself if it repeats nothing. A line without a word, such as
// a bracket, is cut only together with another line.
func (p *proposal) trimRepeats(text string) (ways []string, why string) {
	if text == "" || strings.Count(text, "\n") >= maxRepeated {
		return []string{text}, ""
	}
	lines, all := strings.Split(text, "\n"), splitText(p.content)
	before := p.repeated(lines, reversed(all[:p.start-1]), false)
	after := p.repeated(reversed(lines), all[min(p.end, len(all)):], true)
	is := func(l string, near []string) bool { // a mere word counts only at the same depth, or as the first line
		return isDistinctive(l) || strings.ContainsFunc(l, unicode.IsLetter) && (slices.Contains(near, l) || indentOf(l) == "" && l == lines[0])
	}
	head := slices.ContainsFunc(lines[:before], func(l string) bool { return is(l, nearest(reversed(all[:p.start-1]), before)) })
	tail := slices.ContainsFunc(lines[len(lines)-after:], func(l string) bool { return is(l, nearest(all[min(p.end, len(all)):], after)) })
	if !head && !tail {
		return []string{text}, ""
	}
	cut := func(before, after int) {
		if before+after >= len(lines) || firstFilled(lines[before:len(lines)-after]) < 0 {
			return
		}
		rest := lines[before : len(lines)-after]
		for strings.TrimSpace(rest[0]) == "" && (before > 0 || p.start > 1 && strings.TrimSpace(all[p.start-2]) == "") {
			rest = rest[1:]
		}
		for n := len(rest) - 1; strings.TrimSpace(rest[n]) == "" && (after > 0 || p.end < len(all) && strings.TrimSpace(all[p.end]) == ""); n-- {
			rest = rest[:n]
		}
		if way := strings.Join(rest, "\n"); !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	if cut(before, after); head {
		cut(before, 0)
	}
	if tail {
		cut(0, after)
	}
	if len(ways) == 0 {
		return nil, whyContext
	}
	return ways, ""
}

// repeated counts the outer lines of a proposed text that repeat the lines around the replaced ones. Both
// lists run towards the replaced lines from the far end of the proposed text and away from them in around.
// backward says that the proposed lines are reversed.
func (p *proposal) repeated(lines, around []string, backward bool) int {
	old := p.old
	if backward {
		old = reversed(old)
	}
	if same(lines[:1], old[:1]) { // the list begins with a replaced line, which stays
		return 0
	}
	for n := len(lines); n > 0; n-- {
		if strings.TrimSpace(lines[n-1]) == "" {
			continue
		}
		if same(solidLines(lines[:n]), reversed(nearest(around, len(solidLines(lines[:n]))))) {
			return n
		}
	}
	return 0
}

// nearest returns the first n lines of a list that are not blank.
func nearest(list []string, n int) (out []string) {
	for _, l := range list {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if out = append(out, l); len(out) == n {
			break
		}
	}
	return out
}

// solidLines returns the lines of a list that are not blank.
func solidLines(list []string) []string { return nearest(list, len(list)) }

// same reports whether lines differ at most in the white space around them.
func same(a, b []string) bool { return len(a) == len(b) && sameWords(a, b) }

// isDistinctive reports whether a line has a word that distinguishes it from others.
func isDistinctive(line string) bool {
	t := strings.TrimFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	return len(t) > 2 && !mereWords[strings.ToLower(t)] && !strings.HasPrefix(strings.TrimSpace(line), "</")
}

// mereWords are words that stand alone in many lines.
var mereWords = wordSet("else end done esac try finally break continue pass return begin then default do fi")

// repeatsCode reports whether the file would contain code around the lines a second time, with small
// differences.
func (p *proposal) repeatsCode(lines []string) bool {
	fresh := slices.DeleteFunc(solidLines(lines), func(l string) bool {
		return slices.ContainsFunc(p.old, func(o string) bool { return strings.TrimSpace(o) == strings.TrimSpace(l) })
	})
	if len(fresh) == 0 {
		return false
	}
	all := splitText(p.content)
	above, below := reversed(all[:p.start-1]), all[min(p.end, len(all)):]
	solid := solidLines(lines)
	first, last := solid[0], solid[len(solid)-1]
	more := len(solid) > 1
	switch {
	case p.definesAgain(fresh, above, below), p.layout == yamlLayout && keysAgain(fresh, above, below):
		return true
	case slices.Contains(fresh, first) && (standsIn(first, nearInBlock(first, above)) || more && p.revises(first, nearest(above, 1))):
		return true
	case slices.Contains(fresh, last) && (standsIn(last, nearInBlock(last, below)) || more && p.revises(last, nearest(below, 1))):
		return true
	}
	if p.revisesRun(solid, above) || p.revisesRun(reversed(solid), below) {
		return true
	}
	for _, h := range p.headers(above) {
		if slices.ContainsFunc(fresh, func(l string) bool { return isDistinctive(h) && strings.TrimSpace(l) == strings.TrimSpace(h) }) {
			return true
		}
		if slices.Contains(fresh, first) && len(solid) > 1 && lineSimilarity(first, h) >= minLikeness && firstWord(first) == firstWord(h) {
			return true
		}
	}
	return false
}

// nearInBlock returns the nearest lines that stand in the block of a line, equally deep or deeper.
func nearInBlock(line string, around []string) (out []string) {
	for _, l := range nearest(around, maxNearby) {
		if columnOf(indentOf(l)) < columnOf(indentOf(line)) {
			break
		}
		out = append(out, l)
	}
	return out
}

// standsIn reports whether a distinctive line stands in a list as it is.
func standsIn(line string, list []string) bool {
	return isDistinctive(line) && slices.Contains(list, line)
}

// revises reports whether a line is another version of its neighbour, and not of a replaced line.
func (p *proposal) revises(line string, neighbour []string) bool {
	if len(neighbour) == 0 {
		return false
	}
	like := lineSimilarity(line, neighbour[0])
	for _, o := range p.old {
		if lineSimilarity(line, o) >= like {
			return false
		}
	}
	target := func(l string) string {
		name, _, is := strings.Cut(l, "=")
		if !is {
			return ""
		}
		return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), ":"))
	}
	return like >= minAnyLikeness || like >= minSameWordLikeness && firstWord(line) == firstWord(neighbour[0]) ||
		like >= minLikeness && target(line) != "" && target(line) == target(neighbour[0])
}

// revisesRun reports whether the outer lines of a list are another version of the lines next to the
// replaced ones.
func (p *proposal) revisesRun(lines, around []string) bool {
	for n := 2; n < len(lines); n++ {
		next := reversed(nearest(around, n))
		if len(next) < n {
			return false
		}
		found, all := false, true
		for i, l := range lines[:n] {
			equal := strings.TrimSpace(l) == strings.TrimSpace(next[i])
			all = all && (equal || lineSimilarity(l, next[i]) >= minLikeness)
			found = found || isDistinctive(l) &&
				!slices.ContainsFunc(p.old, func(o string) bool { return strings.TrimSpace(o) == strings.TrimSpace(l) })
		}
		if all && found {
			return true
		}
	}
	return false
}

// headers returns the lines above that open the blocks around the replaced lines: each is less indented
// than the one before.
func (p *proposal) headers(above []string) (out []string) {
	at := firstFilled(p.old)
	if at < 0 {
		return nil
	}
	column := columnOf(indentOf(p.old[at]))
	for _, l := range above {
		if strings.TrimSpace(l) == "" || columnOf(indentOf(l)) >= column {
			continue
		}
		out = append(out, l)
		if column = columnOf(indentOf(l)); column == 0 {
			break
		}
	}
	return out
}

// lineSimilarity returns the similarity of two lines from 0 to 1, 0 for short or very long ones.
func lineSimilarity(a, b string) float64 {
	x, y := []rune(strings.TrimSpace(a)), []rune(strings.TrimSpace(b))
	most := max(len(x), len(y))
	if min(len(x), len(y)) < minLikeLength || most > maxNeighbour {
		return 0
	}
	limit := most / 2
	return 1 - float64(levenshtein(x, y, limit))/float64(most)
}

// firstWord returns the first word of a line with the signs before it.
func firstWord(line string) string {
	t := strings.TrimSpace(line)
	n := strings.IndexFunc(t, partOfWord)
	if n < 0 {
		return t
	}
	return t[:len(t)-len(strings.TrimLeftFunc(t[n:], partOfWord))]
}

// goDefinition matches the beginning of a Go function, method or type.
var goDefinition = regexp.MustCompile(`^\s*(?:func\s+(?:\(\s*\w*\s*\*?\s*(\w+)[^)]*\)\s*)?|type\s+)(\w+)`)

// definition returns the name of the function, class or type whose definition a line begins, else "".
func (p *proposal) definition(line string) string {
	if p.language == "Go" {
		if m := goDefinition.FindStringSubmatch(line); m != nil {
			return m[1] + "." + m[2]
		}
		return ""
	}
	code := strings.TrimSpace(structure.Code(p.language, line))
	if !strings.HasSuffix(code, "{") && !strings.HasSuffix(code, ":") && !strings.HasSuffix(code, "(") {
		return ""
	}
	return structure.Defines(code)
}

// definesAgain reports whether lines define a name that the code around the replaced lines defines.
func (p *proposal) definesAgain(lines, above, below []string) bool {
	if len(p.content) > maxLayout {
		return false
	}
	names := map[string]bool{}
	for _, l := range lines {
		if n := p.definition(l); n != "" {
			names[n] = true
		}
	}
	for _, o := range p.old {
		delete(names, p.definition(o))
	}
	defines := func(l string) bool { return names[p.definition(l)] }
	return len(names) > 0 && (slices.ContainsFunc(above, defines) || slices.ContainsFunc(below, defines))
}

// keyOfMapping matches a key with the dashes before it.
var keyOfMapping = regexp.MustCompile(`^( *(?:- +)*)("[^"]*"|'[^']*'|[^\s#'"{\[&*!|>%@-][^#]*?):(?:\s|$)`)

// keysAgain reports whether lines of YAML repeat a key of the mapping around them.
func keysAgain(lines, above, below []string) bool {
	for _, l := range lines {
		m := keyOfMapping.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		for _, around := range [][]string{above, below} {
			if hasKey(around, len(m[1]), m[2], len(around) > 0 && len(above) > 0 && &around[0] == &above[0], strings.Contains(m[1], "-")) {
				return true
			}
		}
	}
	return false
}

// hasKey looks for a key of the mapping at a column, from the nearest line on.
func hasKey(around []string, column int, key string, upward, begins bool) bool {
	if begins && upward { // the key begins a list entry, so lines above belong to another entry
		return false
	}
	for _, l := range around {
		t := strings.TrimSpace(l)
		if t == "" || strings.HasPrefix(t, "#") {
			continue
		}
		m := keyOfMapping.FindStringSubmatch(l)
		dash := strings.HasPrefix(t, "-")
		switch in := len(indentOf(l)); {
		case m != nil && len(m[1]) == column && (upward || !dash):
			if m[2] == key {
				return true
			}
			if dash {
				return false
			}
		case in < column:
			return false
		}
	}
	return false
}
