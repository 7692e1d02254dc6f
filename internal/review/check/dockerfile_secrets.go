package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

var (
	dockerVariable = regexp.MustCompile(`\$(?:(\w+)|\{(\w+)(?::?-([^{}$]*))?\})`)
	commitID       = regexp.MustCompile(`^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$`)
	dockerPair     = regexp.MustCompile(`([A-Za-z_][\w.]*)=("(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s\\"']|\\.)*)`)
	dockerName     = regexp.MustCompile(`^[A-Za-z_]\w*$`)
)

const dockerSecretRule = "assay/docker-secret"

// dockerValue is a variable of an ARG or ENV.
type dockerValue struct {
	name, value string
	offset      int
}

// dockerValues returns the variables of an ARG or ENV: pairs, names without a value, and the older form with a space.
func dockerValues(in dockerInstruction) (out []dockerValue) {
	name, rest, spaced := strings.Cut(in.args, " ")
	if in.word == "ENV" && !strings.Contains(name, "=") {
		if spaced && dockerName.MatchString(name) {
			out = append(out, dockerValue{name, strings.Trim(strings.TrimSpace(rest), `"'`), 0})
		}
		return out
	}
	last := 0
	bare := func(end int) {
		for w := range strings.FieldsSeq(in.args[last:end]) {
			last += strings.Index(in.args[last:], w)
			if in.word == "ARG" && dockerName.MatchString(w) {
				out = append(out, dockerValue{w, "", last})
			}
			last += len(w)
		}
	}
	for _, m := range dockerPair.FindAllStringSubmatchIndex(in.args, -1) {
		bare(m[0])
		last = m[1]
		value := in.args[m[4]:m[5]]
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') {
			value = value[1 : len(value)-1]
		}
		out = append(out, dockerValue{in.args[m[2]:m[3]], value, m[0]})
	}
	bare(len(in.args))
	return out
}

// variables learns the default values, and reports secrets among them.
func (r *dockerReading) variables(in dockerInstruction) {
	s := r.stage()
	for _, v := range dockerValues(in) {
		if in.word == "ARG" && s != nil {
			s.args[v.name] = true
		}
		if v.value != "" && len(v.value) < maxDockerValue {
			if value, ok := r.expand(v.value); ok {
				r.values[v.name] = value
			} else {
				delete(r.values, v.name)
			}
		}
		kind := valueKindOf(v.name)
		if kind != passwordNoun && kind != tokenNoun || browserVariable.MatchString(v.name) {
			continue
		}
		found := dockerSecret{len(r.faults), s, in.word == "ENV"}
		line := in.lineAt(v.offset)
		switch {
		case in.word == "ARG" && (v.value == "" || !isFilledIn(v.value)):
			r.add(dockerSecretRule, domain.Medium, wording.TitleDockerArg, wording.SayDockerArg, line, "ARG "+v.name, v.name)
		case in.word == "ENV" && (r.takesArgument(v.value) || isDockerSecret(kind, v.value)):
			r.add(dockerSecretRule, domain.High, wording.TitleDockerEnv, wording.SayDockerEnv, line, "ENV "+v.name, v.name)
		}
		if len(r.faults) > found.fault {
			r.faults[found.fault].secret = v.value
			r.secrets = append(r.secrets, found)
		}
	}
}

// dockerSecret is a fault about a secret.
type dockerSecret struct {
	fault int          // its index
	stage *dockerStage // nil before the first
	isEnv bool
}

// judgeSecrets looks at the secrets in stages that the image of the last stage does not inherit: such an argument is only in the record of
// the build, and such an environment is not in the image, so that its fault is left out.
func (r *dockerReading) judgeSecrets() {
	inherited := map[*dockerStage]bool{}
	for s := r.stage(); s != nil; s = s.parent {
		inherited[s] = true
	}
	for _, found := range slices.Backward(r.secrets) {
		switch {
		case len(r.stages) == 0 || inherited[found.stage]:
		case found.isEnv:
			r.faults = slices.Delete(r.faults, found.fault, found.fault+1)
		default:
			r.faults[found.fault].severity = domain.Low
		}
	}
}

// takesArgument reports whether a value is a build argument of the stage, so that the image keeps what it was built with. An argument whose
// default value is a placeholder only satisfies a program.
func (r *dockerReading) takesArgument(value string) bool {
	m := dockerVariable.FindStringSubmatch(value)
	s := r.stage()
	if s == nil || m == nil || m[0] != value || !s.args[m[1]+m[2]] {
		return false
	}
	normal := cmp.Or(r.values[m[1]+m[2]], m[3])
	return normal == "" || !isFilledIn(normal)
}

// notSecrets are words in values that only satisfy a program during the build.
var notSecrets = strings.Fields(`dummy build ignored unused notused none fake example changeme placeholder insecure precompile
	collectstatic`)

var (
	// switchValue matches the value of a switch whose name has the word of a secret.
	switchValue = regexp.MustCompile(`(?i)^(?:true|false|yes|no|on|off|enabled?|disabled?|required|optional|auto)$`)
	// headerName matches the name of a header of HTTP.
	headerName = regexp.MustCompile(`^[A-Z][A-Za-z]*(?:-[A-Z][A-Za-z]*)+$`)
	// browserVariable matches names whose values a bundler puts into the code for browsers.
	browserVariable = regexp.MustCompile(`^(?:VITE|REACT_APP|NEXT_PUBLIC|NUXT_PUBLIC|GATSBY|EXPO_PUBLIC)_`)
)

// isFilledIn reports whether a value is a placeholder, a switch or the name of a header.
func isFilledIn(value string) bool {
	lower := strings.ToLower(value)
	return isPlaceholder(value) || switchValue.MatchString(value) || headerName.MatchString(value) ||
		slices.ContainsFunc(notSecrets, func(w string) bool { return strings.Contains(lower, w) })
}

// isDockerSecret reports whether a value beside the name of a secret is one.
func isDockerSecret(kind valueKind, value string) bool {
	return len(value) >= minPassword && !strings.Contains(value, "$") && !isFilledIn(value) && (kind != tokenNoun || !readsAsWords(value))
}
