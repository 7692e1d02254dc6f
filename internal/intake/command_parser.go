package intake

import (
	"regexp"
	"strings"
)

// word is the first word of a command.
type word string

// The known words, in the order of help.
const (
	wordReview  word = "review"
	wordPause   word = "pause"
	wordResume  word = "resume"
	wordApprove word = "approve"
	wordReject  word = "reject"
	wordHelp    word = "help"
	wordExplain word = "explain"
	wordIgnore  word = "ignore"
	wordFix     word = "fix"
)

var words = []word{wordReview, wordPause, wordResume, wordApprove, wordReject, wordHelp, wordExplain, wordIgnore, wordFix}

// command is a parsed command. The words are a closed set: a comment cannot change a setting, and no part
// of it is repeated on the host.
type command struct {
	word  word // "" if unknown
	near  word // the likely intended word if word is ""; may be ""
	full  bool // review: everything again
	extra bool // the line continues with text that the command does not accept

	digits string // approve, reject: of the waiting output, in lower case; "" if absent
	note   string // reject, ignore: the reason as written
}

// commandLine matches a first line that is addressed to us. The rest of the line is the command.
var commandLine = regexp.MustCompile(`(?i)\A\s*([/@])assay(?:[ \t]+([^\r\n]*))?(?:\r?\n|\z)`)

// parseCommand returns the command in a comment; false if there is no command. A mention may begin a sentence or
// name a person, so it counts as a command only if its word is known or nearly known.
func parseCommand(text string) (command, bool) {
	m := commandLine.FindStringSubmatch(text)
	if m == nil {
		return command{}, false
	}
	said := strings.Fields(m[2])
	if len(said) == 0 {
		return command{word: wordHelp}, true
	}
	c := parseWords(strings.ToLower(said[0]), said[1:])
	return c, m[1] == "/" || c.word != "" || c.near != ""
}

func parseWords(first string, rest []string) command {
	for _, w := range words {
		if first != string(w) {
			continue
		}
		switch w {
		case wordReview:
			full := len(rest) == 1 && strings.EqualFold(rest[0], "full")
			return command{word: w, full: full, extra: len(rest) > 0 && !full}
		case wordPause, wordResume:
			return command{word: w, extra: len(rest) > 0}
		case wordIgnore:
			return command{word: w, note: strings.Join(rest, " ")}
		case wordApprove:
			return command{word: w, digits: digitsOf(rest), extra: len(rest) > 1}
		case wordReject:
			c := command{word: w, digits: digitsOf(rest)}
			if c.digits != "" {
				rest = rest[1:]
			}
			c.note = strings.Join(rest, " ")
			return c
		}
		return command{word: w}
	}
	return command{near: nearestWord(first)}
}

// digest matches an output's digest: all digits of SHA-256, or the first of them.
var digest = regexp.MustCompile(`\A[0-9a-f]{4,64}\z`)

// digitsOf returns the digits at the beginning of the words; "" if there are no digits.
func digitsOf(words []string) string {
	if len(words) == 0 || !digest.MatchString(strings.ToLower(words[0])) {
		return ""
	}
	return strings.ToLower(words[0])
}

// longestWord bounds the compared words; no known word is close to a longer one.
const longestWord = 12

// nearestWord returns the known word that differs least from an unknown one, by at most one typing error per
// three letters; "" if there is no such word.
func nearestWord(said string) word {
	r := []rune(said)
	if len(r) > longestWord {
		return ""
	}
	best, least := word(""), longestWord
	for _, w := range words {
		if d := typos(r, []rune(string(w))); d < least && d <= len(w)/3 {
			best, least = w, d
		}
	}
	return best
}

// typos counts the characters that are missing, added, wrong, or swapped with their neighbour.
func typos(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
