package check

import (
	"encoding/base64"
	"net"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Rules of assay beside those of gitleaks. They recognise a value by its position in the syntax of the
// file.
const (
	passwordRule      = "password"
	addressRule       = "password-in-address"
	authorizationRule = "authorization-header"
	serviceRule       = "service-token"
)

func isOurs(rule string) bool {
	return rule == passwordRule || rule == addressRule || rule == authorizationRule || rule == serviceRule
}

// Bounds of the text by which one place is judged: its line and the lines after it.
const (
	maxWindow      = 512
	maxWindowLines = 5
	maxBefore      = 80
)

// syntax says in which positions a file has values without quotes.
type syntax struct {
	bare   bool // KEY=value, after white space as well
	colons bool // key: value
	spaces bool // key value
	markup bool // <key>value</key>
}

var syntaxes = map[string]syntax{
	".env": {bare: true}, ".envrc": {bare: true}, ".properties": {bare: true, colons: true, spaces: true}, ".ini": {bare: true, colons: true},
	".cfg": {bare: true, colons: true, spaces: true}, ".conf": {bare: true, colons: true, spaces: true}, ".cnf": {bare: true, spaces: true},
	".yml": {bare: true, colons: true}, ".yaml": {bare: true, colons: true}, ".toml": {bare: true}, ".tfvars": {},
	".sh": {bare: true}, ".bash": {bare: true}, ".zsh": {bare: true}, ".fish": {bare: true, spaces: true}, ".bat": {bare: true},
	".cmd":     {bare: true},
	".service": {bare: true}, ".container": {bare: true}, ".dockerfile": {bare: true, spaces: true}, ".mk": {bare: true},
	".ldif": {colons: true}, ".md": {bare: true}, ".rst": {bare: true},
	".xml": {markup: true}, ".config": {markup: true}, ".pom": {markup: true}, ".csproj": {markup: true}, ".props": {markup: true},
	".targets": {markup: true}, ".plist": {markup: true}, ".xhtml": {markup: true}, ".wsdl": {markup: true}, ".ism": {markup: true},
}

var (
	dockerFile = regexp.MustCompile(`(?i)^(?:dockerfile|containerfile)\b`)
	bareFile   = regexp.MustCompile(`(?i)^(?:makefile|gnumakefile|justfile|procfile|jenkinsfile|vagrantfile|credentials|` +
		`\.(?:npmrc|pypirc|yarnrc|curlrc|wgetrc|s3cfg|` +
		`boto|bashrc|zshrc|profile|bash_profile|my\.cnf|htaccess)|\.?env(?:\..+)?|.+\.env(?:\..+)?)$`)
)

func syntaxOf(file string) syntax {
	base := strings.ToLower(path.Base(file))
	switch {
	case dockerFile.MatchString(base):
		return syntax{bare: true, spaces: true}
	case bareFile.MatchString(base):
		return syntax{bare: true, colons: strings.HasPrefix(base, ".pypirc")}
	}
	return syntaxes[path.Ext(base)]
}

var (
	addressForm = regexp.MustCompile(`\b([a-zA-Z][a-zA-Z0-9+.-]+)://([^\s:/@'"<>\x60?#]*):([^\s/@'"<>\x60]+)@([^\s/'"<>\x60,?#\\)]+)`)
	driverForm  = regexp.MustCompile(`\b([\w.-]+):([^\s/@:'"<>\x60]+)@(?:tcp|unix)\(([^)\s]+)\)`)
	headerForm  = regexp.MustCompile(`(?i)\bauthorization["'\x60\]]{0,2}(?:\s*,\s*["']?value["']?)?\s*(?::|=>?|,|\s)\s*` +
		`[fb]?["'\x60(\[{]*\s*(bearer|basic|token|bot|apikey)[ \t]+([A-Za-z0-9._~+/=-]{8,})`)
	passFile = regexp.MustCompile(`^(?:[^:\s]+):(?:\d{1,5}|\*):[^:\s]+:[^:\s]+:(\S{8,})\s*$`)
	passLine = regexp.MustCompile(`["']?(?:[\w.*-]+):(?:\d{1,5}|\*):[\w*-]+:[\w*-]+:([^\s"']{8,})["']?\s*>{1,2}\s*\S*pgpass`)
)

// keyFile are files that contain only a Rails key.
var (
	keyFile = regexp.MustCompile(`(?:^|/)(?:master|config/credentials/\w+)\.key$`)
	keyLine = regexp.MustCompile(`^([0-9a-f]{32})\s*$`)
)

// keyedText is a text that [secretsByPosition] searches.
type keyedText struct {
	syntax
	text, lower string
	lines       []int // offset at which each line starts
	found       []Secret
}

// secretsByPosition finds secrets by their position in the syntax of a file. Its work is proportional to the number of
// words that may name a secret.
func secretsByPosition(file, text string) []Secret {
	k := keyedText{syntax: syntaxOf(file), text: text, lower: lowerASCII(text)}
	k.named()
	for _, c := range commands {
		k.search(passwordRule, c.word, c.form, func(v string) grade { return strength(passwordNoun, v) })
	}
	for _, s := range services {
		k.search(serviceRule, s.word, s.form, func(v string) grade {
			if isPlaceholder(v) {
				return isPublic
			}
			return certain
		})
	}
	k.addresses()
	k.headers()
	base := strings.ToLower(path.Base(file))
	switch {
	case base == ".pgpass", base == "pgpass.conf":
		k.search(passwordRule, ":", passFile, func(v string) grade { return strength(passwordNoun, v) })
	case keyFile.MatchString(file):
		k.search(passwordRule, "", keyLine, func(v string) grade { return strength(tokenNoun, v) })
	}
	k.search(passwordRule, "pgpass", passLine, func(v string) grade { return strength(passwordNoun, v) })
	return k.found
}

// add keeps the value at a place.
func (k *keyedText) add(rule, key string, from, to int, g grade) {
	if g == isPublic {
		return
	}
	if k.lines == nil {
		for at := 0; at < len(k.text); {
			k.lines = append(k.lines, at)
			next := strings.IndexByte(k.text[at:], '\n')
			if next < 0 {
				break
			}
			at += next + 1
		}
	}
	first := lineAt(k.lines, from)
	k.found = append(k.found, Secret{RuleID: rule, First: first, Last: first, Start: from, End: to,
		value: k.text[from:to], key: key, ownGrade: g})
}

// line returns the offsets of the line of a place.
func (k *keyedText) line(at int) (start, end int) {
	start, end = strings.LastIndexByte(k.text[:at], '\n')+1, len(k.text)
	if i := strings.IndexByte(k.text[at:], '\n'); i >= 0 {
		end = at + i
	}
	return start, end
}

// each calls fn once for every line that contains a word. The word is in lower case.
func (k *keyedText) each(word string, fn func(start, end int)) {
	for at := 0; at < len(k.text); {
		i := strings.Index(k.lower[at:], word)
		if i < 0 {
			return
		}
		start, end := k.line(at + i)
		fn(start, end)
		at = end + 1
	}
}

// search finds values by an expression whose match begins on a line with a word.
func (k *keyedText) search(rule, word string, form *regexp.Regexp, of func(value string) grade) {
	k.each(word, func(start, end int) {
		in := k.text[start:max(end, k.windowEnd(start))]
		for at := 0; at < len(in); {
			m := form.FindStringSubmatchIndex(in[at:])
			if m == nil || at+m[0] > end-start || at > 0 && strings.HasPrefix(form.String(), "^") {
				return
			}
			for g := 2; g+1 < len(m); g += 2 {
				if m[g] >= 0 {
					k.add(rule, passwordRule, start+at+m[g], start+at+m[g+1], of(in[at+m[g]:at+m[g+1]]))
				}
			}
			at += max(m[1], 1)
		}
	})
}

// windowEnd returns the end of the text by which a place is judged.
func (k *keyedText) windowEnd(from int) int {
	end := min(from+maxWindow, len(k.text))
	for n, at := 0, from; n < maxWindowLines; n++ {
		next := strings.IndexByte(k.text[at:end], '\n')
		if next < 0 {
			return end
		}
		at += next + 1
		if n == maxWindowLines-1 {
			end = at - 1
		}
	}
	return end
}

// named finds values behind the names of secrets.
func (k *keyedText) named() {
	for _, n := range secretNames(k.text, k.lower) {
		front, behind := k.text[max(0, n.start-maxBefore):n.start], k.text[n.end:k.windowEnd(n.end)]
		front = front[strings.LastIndexByte(front, '\n')+1:]
		for _, p := range positions {
			if p.when != nil && !p.when(k.syntax) || !strings.Contains(behind, p.has) {
				continue
			}
			m := p.after.FindStringSubmatchIndex(behind)
			if m == nil || p.before != nil && !p.before.MatchString(front) {
				continue
			}
			for g := 2; g+1 < len(m); g += 2 {
				if m[g] >= 0 {
					k.add(passwordRule, k.text[n.start:n.end], n.end+m[g], n.end+m[g+1], strength(n.kind, behind[m[g]:m[g+1]]))
				}
			}
		}
	}
}

// addresses finds passwords in addresses.
func (k *keyedText) addresses() {
	for word, form := range map[string]*regexp.Regexp{"://": addressForm, "@tcp(": driverForm, "@unix(": driverForm} {
		k.each(word, func(start, end int) {
			one := k.text[start:end]
			if !strings.Contains(one, "@") {
				return
			}
			for _, m := range form.FindAllStringSubmatchIndex(one, -1) {
				user, pass, host := m[len(m)-6:len(m)-4], m[len(m)-4:len(m)-2], m[len(m)-2:]
				k.add(addressRule, passwordRule, start+pass[0], start+pass[1],
					gradeAddress(one[user[0]:user[1]], one[pass[0]:pass[1]], one[host[0]:host[1]]))
			}
		})
	}
}

// headers finds credentials in authorization headers.
func (k *keyedText) headers() {
	k.each("authorization", func(start, end int) {
		one := k.text[start:end]
		for _, m := range headerForm.FindAllStringSubmatchIndex(one, -1) {
			value := one[m[4]:m[5]]
			kind := tokenNoun
			if strings.EqualFold(one[m[2]:m[3]], "basic") {
				kind = credentialNoun
			}
			g := strength(kind, value[:min(len(value), maxSecret)])
			if kind == tokenNoun && isSecretName("", value) {
				g = isPublic
			}
			k.add(authorizationRule, "authorization", start+m[4], start+m[5], g)
		}
	})
}

// gradeCredentials grades "user:password" in base64.
func gradeCredentials(value string) grade {
	raw, err := base64.StdEncoding.DecodeString(value)
	if user, pass, is := strings.Cut(string(raw), ":"); err == nil && is && printable(raw) {
		return gradeAddress(user, pass, "")
	}
	return isPublic
}

// localHosts match names that exist only on one machine or in documents (RFC 2606, RFC 6761).
var localHosts = regexp.MustCompile(`(?i)(?:^|\.)(?:localhost|local|localdomain|test|invalid|example|example\.(?:com|org|net|edu)|` +
	`domain\.(?:com|tld)|host\.docker\.internal|(?:my|your)?-?(?:host|server|company|domain)(?:name)?(?:\.\w+)?)$`)

// gradeAddress grades the password of a user at a host. Passwords for local or example hosts are at most
// doubtful.
func gradeAddress(user, pass, host string) grade {
	const shortest = 6
	if len(pass) < shortest || isPlaceholder(pass) || strings.Contains(pass, "%s") || strings.EqualFold(pass, user) ||
		letters(pass) == letters(user) {
		return isPublic
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	ip := net.ParseIP(strings.Trim(name, "[]"))
	isLocal := localHosts.MatchString(name) || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
	g := strength(passwordNoun, pass)
	switch {
	case isLocal && g == certain:
		return doubtful
	case isLocal, g == isPublic && (readsAsWords(pass) || !strings.Contains(name, ".")):
		return isPublic
	case g == certain, strength(tokenNoun, pass) == certain, g == doubtful && strings.Contains(name, "."):
		return certain
	}
	return doubtful
}
