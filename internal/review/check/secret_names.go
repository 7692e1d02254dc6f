package check

import (
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/regexp"
)

// valueKind is the kind of value that a name promises.
type valueKind uint8

const (
	noNoun         valueKind = iota
	passwordNoun             // possibly chosen by a person
	tokenNoun                // made by a program
	credentialNoun           // a user and a password in base64
)

var (
	// passwordWords end names of passwords, also as the end of a longer word (dbpassword).
	passwordWords = strings.Fields("password passwd passwort kennwort passphrase passcode senha pwd pass")
	// notPass are words with the same endings that do not mean a password.
	notPass = strings.Fields("bypass compass surpass trespass underpass overpass encompass multipass singlepass renderpass")
	// keyWords make a key a secret one.
	keyWords = strings.Fields("api secret access private auth encryption encrypt signing master account storage")
	// qualifiers may follow the noun and select one of several secrets.
	qualifiers = strings.Fields(`prod production live staging stage dev develop development local value val base default old new current next
		primary secondary replica master main root admin user plain text raw string env v eu us`)
	// textWords follow a noun in names of texts for people, and of values about a secret.
	textWords = strings.Fields(`label placeholder message msg error errors hint help text title description desc tooltip caption prompt
		header heading
		info note notice question warning link button legend alt summary aria name instruction instructions body subject`)
	// publicWords make a key one that its provider documents as public.
	publicWords = strings.Fields("site public publishable pub")
)

// nameWords splits a name at separators, digits and changes of case, and returns the words in lower case.
func nameWords(name string) (words []string) {
	runes := []rune(name)
	start := 0
	cut := func(i int) {
		if i > start {
			words = append(words, strings.ToLower(string(runes[start:i])))
		}
		start = i
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			cut(i)
			start = i + 1
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			cut(i)
		}
	}
	cut(len(runes))
	return words
}

// valueKindOf returns the kind of value that a name promises. Only qualifiers may follow the noun:
// passwordLabel, tokenUrl and secretName name other values.
func valueKindOf(name string) valueKind {
	words := nameWords(name)
	for len(words) > 1 && slices.Contains(qualifiers, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return noNoun
	}
	last := words[len(words)-1]
	switch {
	case slices.Contains(notPass, last), slices.ContainsFunc(words, isPublicWord):
		return noNoun
	case last == "auth":
		return credentialNoun
	case slices.ContainsFunc(passwordWords, func(w string) bool { return strings.HasSuffix(last, w) }), strings.HasSuffix(last, "pw"),
		last == "psw":
		return passwordNoun
	case strings.HasSuffix(last, "secret"), strings.HasSuffix(last, "token"), strings.HasSuffix(last, "apikey"):
		return tokenNoun
	case last == "key" && len(words) > 1 && slices.Contains(keyWords, words[len(words)-2]), last == "secretkey", last == "accesskey":
		return tokenNoun
	}
	return noNoun
}

// credentialWords are the words that make a name of several words one of a credential.
var credentialWords = strings.Fields("token tokens secret secrets password passwords credential credentials key keys auth oauth access")

// isCredentialName reports whether a value is the name of a table, a column, an index or a variable about credentials, such as
// oauth2_access_token_session: three words or more in lower case between underscores, with a word for a credential. The generic rule
// takes such names for values.
func isCredentialName(value string) bool {
	words := strings.Split(value, "_")
	for _, w := range words {
		if !identifierPart.MatchString(w) {
			return false
		}
	}
	return len(words) >= 3 && readsAsWords(value) &&
		slices.ContainsFunc(words, func(w string) bool { return slices.Contains(credentialWords, strings.TrimRight(w, "0123456789")) })
}

// identifierPart matches a word of a name, with at most two digits behind it.
var identifierPart = regexp.MustCompile(`^[a-z]{1,20}\d{0,2}$`)

// namesText reports whether a name belongs to a text for people, such as passwordLabel.
func namesText(name string) bool {
	words := nameWords(name)
	return len(words) > 1 && slices.Contains(textWords, words[len(words)-1])
}

// isPublicWord reports whether a word of a name marks the value as public, as in PublicKeyToken.
func isPublicWord(w string) bool { return w == "public" || w == "publishable" || w == "publickey" }

// publicIDs are the words before "id" in names of identifiers of applications, accounts or keys.
var publicIDs = strings.Fields(`client app application tenant project account user key org organization group object subscription team
	installation principal`)

// namesID reports whether a name belongs to a public identifier, such as auth0ClientId.
func namesID(name string) bool {
	words := nameWords(name)
	n := len(words)
	return n > 1 && words[n-1] == "id" && slices.Contains(publicIDs, words[n-2]) ||
		n > 0 && slices.Contains(strings.Fields("clientid appid tenantid projectid keyid"), words[n-1])
}

// namesPublicKey reports whether a name belongs to a key that providers document as public: siteKey,
// publishableKey.
func namesPublicKey(name string) bool {
	words := nameWords(name)
	for len(words) > 1 && slices.Contains(qualifiers, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	n := len(words)
	if n > 1 && words[n-1] == "token" && words[n-2] == "key" { // PublicKeyToken
		n--
	}
	return n > 0 && words[n-1] == "sitekey" || n > 1 && words[n-1] == "key" && slices.Contains(publicWords, words[n-2])
}
