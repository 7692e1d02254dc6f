// Package nearest finds the known name that a person has probably meant.
package nearest

// maxDistance is the maximum edit distance of two names that count as similar.
const maxDistance = 3

// Name returns the known name with the smallest edit distance to a name, the first in alphabetical order if there are
// several. It returns "" if none is within three edits, or if more than half of the name would change.
func Name(name string, known []string) string {
	best, distance := "", min(maxDistance, max(1, len(name)/2))+1
	for _, k := range known {
		if d := distanceOf(name, k); d < distance || d == distance && best != "" && k < best {
			best, distance = k, d
		}
	}
	return best
}

// distanceOf returns the Levenshtein distance of two names in bytes.
func distanceOf(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			before, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, before+cost)
		}
	}
	return row[len(b)]
}
