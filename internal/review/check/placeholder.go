package check

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of the length of passwords and tokens (design choices).
const (
	minPassword = 8
	minToken    = 16
	maxSecret   = 200
)

// sampleWords are the words of placeholders and of passwords in examples.
var sampleWords = longestFirst(`password passwort passwd pass word pwd secret changeme change changeit example sample dummy
	placeholder fake test tests testing
	tester foobar foo bar baz your yours mine my the here insert replace enter put token apikey api key value string todo
	fixme redacted hidden masked none
	null nil empty default admin administrator root guest user username login postgres postgresql mysql mariadb mongo
	mongodb redis rabbitmq rabbit minio
	oracle database demo local localhost dev development qwerty qwertz letmein welcome abcdefgh abcdef abcd abc xyz xxx
	hello world super strong very complex
	secure safe long random some any this that not real only for with please hunter monkey dragon correct horse battery
	staple wordpress keycloak grafana
	elastic airflow nextcloud bitnami docker kubernetes app service client account credential credentials private public
	unsafe insecure mock stub fixture
	acme company`)

func longestFirst(list string) []string {
	return slices.SortedFunc(strings.FieldsSeq(list), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
}

var (
	// hole matches a place that a template, a shell or a program fills in.
	hole = regexp.MustCompile(`\$\{|\$\(|\{\{|\}\}|<%|#\{|\{\w*\}|%[sdvq]\b|%\(\w+\)|\(.*\)|\[.*\]|^(?:\$\w+)+$|^%\w+%$|^<.*>?$|` +
		`^@[\w.]+@$|^__\w+__$|\.\.\.|…|=>|\\$`)
	// reference matches a value that tells where the secret is stored.
	reference = regexp.MustCompile(`(?i)^(?:ENC[(\[{]|\{[\w!-]+\}|[a-z][a-z0-9+.-]*:(?://|[a-z/])|ref\+|![a-z]|[./~]+/|/|` +
		`arn:|[A-Za-z]:\\|process\.env|os\.|env\.|var\.|local\.|data\.|secrets?\.|self\.|this\.)`)
	digitsOnly = regexp.MustCompile(`^[0-9.,:_-]+$`)
	unleet     = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")
)

// isPlaceholder reports whether a value is filled in elsewhere, or is a typical value of examples.
func isPlaceholder(value string) bool {
	return isPlain(value) || printable(decoded(value)) && isPlain(string(decoded(value)))
}

func isPlain(value string) bool {
	return hole.MatchString(value) || reference.MatchString(value) || digitsOnly.MatchString(value) ||
		distinctBytes(value) < 4 || hasSampleWords(value)
}

// hasSampleWords reports whether the letters of a value are mostly sample words, also if digits replace
// letters. A long number beside such replaced letters makes the value a secret, as in "s3cr3tvalue9921", unless people
// usually write the number.
func hasSampleWords(value string) bool {
	if mostlySamples(letters(value)) {
		return true
	}
	numbers := longNumber.FindAllString(value, -1)
	words := longNumber.ReplaceAllString(strings.ToLower(value), " ")
	return !slices.ContainsFunc(numbers, isRareNumber) && mostlySamples(letters(unleet.Replace(words)))
}

// longNumber matches a number that stands for no letters.
var longNumber = regexp.MustCompile(`\d{4,}`)

// usualNumber matches a year.
var usualNumber = regexp.MustCompile(`^(?:19|20)\d\d$`)

// isRareNumber reports whether a number is neither a year, nor one digit repeated, nor a part of a sequence.
func isRareNumber(number string) bool {
	const up, down = "01234567890123456789", "98765432109876543210"
	return !usualNumber.MatchString(number) && distinctBytes(number) > 1 && !strings.Contains(up, number) && !strings.Contains(down, number)
}

// printable reports whether bytes are one printable line.
func printable(b []byte) bool {
	for i, c := range b {
		if (c < ' ' || c > '~') && (c != '\n' || i != len(b)-1) {
			return false
		}
	}
	return len(b) > 3
}

func distinctBytes(s string) int {
	var seen [256]bool
	n := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}

// letters returns the letters of a text in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// mostlySamples reports whether letters are mostly sample words.
func mostlySamples(s string) bool {
	all := len(s)
	for _, w := range sampleWords {
		s = strings.ReplaceAll(s, w, " ")
	}
	rest := len(strings.ReplaceAll(s, " ", ""))
	return all-rest >= 3 && 2*rest <= all-rest
}

// wordForm matches a word of any script, words in camel case, or a word with a short number.
var wordForm = regexp.MustCompile(`^(?:\p{Lu}?[\p{Ll}\p{M}]+(?:\d{0,2}\p{Lu}[\p{Ll}\p{M}]+)*\d{0,2}|\p{Lu}[\p{Lu}\p{M}]*\d{0,2}|` +
	`[\p{Lo}\p{Lm}\p{M}]+)$`)

// readsAsWords reports whether a value consists of words: parts between separators that contain only
// letters and a vowel, or a short number.
func readsAsWords(value string) bool {
	n := 0
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) ||
			unicode.IsSymbol(r)
	}) {
		if digitsOnly.MatchString(part) && len(part) <= 4 {
			continue
		}
		list := nameWords(part)
		if !wordForm.MatchString(part) || len(list) > 1 && len(part) < 3*len(list) {
			return false
		}
		for _, w := range list {
			if len(w) > 3 && !vowel.MatchString(w) && strings.IndexFunc(w, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
				return false
			}
		}
		n += len(list)
	}
	return n > 1 || n == 1 && len(value) > 3
}

func digits(s string) (n int) {
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// strength grades a value in a position where the syntax of a file has a secret. A password counts as
// certain if it has letters, digits and a third kind of character, or is long and mixed. A token must look
// generated.
func strength(kind valueKind, value string) grade {
	if kind == credentialNoun {
		return gradeCredentials(value)
	}
	if len(value) < minPassword || len(value) > maxSecret || isPlaceholder(value) {
		return isPublic
	}
	var lower, upper, digit, other bool
	for _, r := range value {
		switch {
		case unicode.IsLower(r):
			lower = true
		case unicode.IsUpper(r):
			upper = true
		case unicode.IsDigit(r):
			digit = true
		default:
			other = true
		}
	}
	mixed := (lower || upper) && digit
	if kind == tokenNoun {
		if len(value) >= minToken && mixed && digits(value) > 2 && !readsAsWords(value) &&
			(hexValue.MatchString(value) || bits(value) >= tokenBits) {
			return certain
		}
		return isPublic
	}
	switch {
	case readsAsWords(value):
		return isPublic
	case mixed && (lower && upper || other), mixed && len(value) >= minToken:
		return certain
	case mixed:
		return doubtful
	}
	return isPublic
}
