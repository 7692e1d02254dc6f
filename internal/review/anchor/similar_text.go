package anchor

import (
	"strings"
)

// fuzzy looks for the run of lines that is most similar to a quotation, the nearest to the claim among
// equals. Lines count by their length.
func (t *text) fuzzy(quote string, near int) match {
	q := []rune(quote)
	if len(q) < 12 || len(q) > maxFuzzyQuote || len(t.lines) > maxFuzzyLines {
		return match{} // a few characters are similar to anything
	}
	work := 0
	want := histogram(q)
	type entry struct {
		no   int
		text []rune
	}
	var lines []entry
	for _, l := range t.lines {
		if n := strings.Join(strings.Fields(l.text), " "); n != "" {
			lines = append(lines, entry{l.no, []rune(n)})
		}
	}
	best := match{}
	bestDistance := 0
	longest := len(q) + len(q)/8 // a text longer by more than a ninth cannot reach minSimilarity
	for i := range lines {
		// The window is the run of lines whose joined length is nearest to the quotation's.
		var window []rune
		for j := i; j < len(lines) && j < i+maxFuzzyRun && len(window)+len(lines[j].text) <= longest; j++ {
			if j > i {
				window = append(window, ' ')
			}
			window = append(window, lines[j].text...)
			work += len(lines[j].text)
			allowed := int(float64(max(len(window), len(q))) * (1 - minSimilarity))
			if abs(len(window)-len(q)) > allowed {
				continue
			}
			if work += len(window); work > maxFuzzyWork {
				return best
			}
			if !want.near(window, 2*allowed) {
				continue
			}
			work += len(window) * (2*allowed + 1)
			d := levenshtein(window, q, allowed)
			if d > allowed {
				continue
			}
			s := 1 - float64(d)/float64(max(len(window), len(q)))
			m := match{s >= minSimilarity, lines[i].no, lines[j].no, s}
			dist := abs(m.first - near)
			if m.found && (!best.found || s > best.similarity || s == best.similarity && dist < bestDistance) {
				best, bestDistance = m, dist
			}
		}
	}
	return best
}

// bag counts the characters of a text by their low bits. Every edit changes at most two counts by one, so
// texts differ by at least half the difference of their bags.
type bag [64]int

func histogram(s []rune) bag {
	var b bag
	for _, r := range s {
		b[r&63]++
	}
	return b
}

func (b bag) near(s []rune, limit int) bool {
	for _, r := range s {
		b[r&63]--
	}
	sum := 0
	for _, n := range b {
		sum += abs(n)
	}
	return sum <= limit
}

// levenshtein returns the edit distance of two texts, or limit+1 if it is larger. It computes only the band
// within the limit.
func levenshtein(a, b []rune, limit int) int {
	if abs(len(a)-len(b)) > limit {
		return limit + 1
	}
	// Equal ends cost nothing and are the common case.
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	prev, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		lo, hi := max(1, i-limit), min(len(b), i+limit)
		row[0] = i
		if lo > 1 {
			row[lo-1] = limit + 1
		}
		least := row[lo-1]
		for j := lo; j <= hi; j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			up := limit + 1
			if j < i+limit || i == 1 {
				up = prev[j] + 1
			}
			row[j] = min(prev[j-1]+cost, row[j-1]+1, up)
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		prev, row = row, prev
	}
	return min(prev[len(b)], limit+1)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
