package repofile

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/assay-dev/assay/internal/nearest"
	"github.com/assay-dev/assay/internal/policy"
)

// reader collects the entries of one file.
type reader struct {
	file  policy.File
	paths int // path patterns so far
	more  int // messages beyond the bound
}

func (r *reader) refuse(at policy.Place, message string) {
	if len(r.file.Refused) == maxNotes-1 {
		r.more++
		return
	}
	r.file.Refused = append(r.file.Refused, policy.FileNote{Place: at, Message: message})
}

// unknown explains an unknown name. It returns "" if no further message is shown, because the search for the nearest known name takes a
// millisecond, and a file has room for thousands of names.
func (r *reader) unknown(name string, known []string) string {
	if len(r.file.Refused) == maxNotes-1 {
		return ""
	}
	return unknown(name, known)
}

// finish adds the number of the messages that were left out.
func (r *reader) finish() {
	if r.more > 0 {
		r.file.Refused = append(r.file.Refused, policy.FileNote{Message: fmt.Sprintf("has %d more entries without an effect", r.more)})
	}
}

// group reads the entries of a group of settings; prefix is its name with a dot, or "" for the file.
func (r *reader) group(prefix string, pairs []*ast.MappingValueNode) {
	for _, p := range pairs {
		at := placeOf(p.Key)
		key, ok := p.Key.(*ast.StringNode)
		if !ok {
			r.refuse(at, "a name must be plain text")
			continue
		}
		name := prefix + key.Value
		switch kind := kindOf(name); {
		case kind == isSetting:
			r.setting(name, at, p.Value)
		case kind == isGroup:
			inner, ok := mapping(p.Value)
			if !ok {
				r.refuse(at, name+" must be a group of settings, such as "+firstOf(name))
				continue
			}
			r.group(name+".", inner)
		case name == policy.FileRules || name == policy.FileInstructions:
			r.entries(name, at, p.Value)
		case name == policy.FileFolders:
			r.folders(at, p.Value)
		case policy.NotInFile(name) != "":
			r.refuse(at, shown(name)+" "+policy.NotInFile(name))
		default:
			r.refuse(at, r.unknown(name, fileNames()))
		}
	}
}

// The kinds of names.
const (
	isUnknown = iota
	isSetting
	isGroup
)

func kindOf(name string) int {
	for _, s := range policy.FileSettings() {
		if s.Name == name {
			return isSetting
		}
		if strings.HasPrefix(s.Name, name+".") {
			return isGroup
		}
	}
	return isUnknown
}

// firstOf returns the first setting of a group.
func firstOf(group string) string {
	all := policy.FileSettings()
	return all[slices.IndexFunc(all, func(s policy.FileSetting) bool { return strings.HasPrefix(s.Name, group+".") })].Name
}

// fileNames lists the settings, groups and lists of a file.
func fileNames() []string {
	out := []string{policy.FileRules, policy.FileInstructions, policy.FileFolders}
	for _, s := range policy.FileSettings() {
		if group, _, nested := strings.Cut(s.Name, "."); nested && !slices.Contains(out, group) {
			out = append(out, group)
		}
		out = append(out, s.Name)
	}
	return out
}

// plainName matches the names that a message shows. Others may be anything, such as a password at a wrong place.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]{0,29}(\.[A-Za-z][A-Za-z_-]{0,29}){0,3}$`)

func shown(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return "this name"
}

// unknown says that a name is unknown, and the nearest known one: that of the whole name, else that of its last part.
func unknown(name string, known []string) string {
	guess := nearest.Name(name, known)
	for _, k := range known {
		if plainSpelling(k) == plainSpelling(name) {
			guess = k
		}
	}
	if guess == "" {
		last, parts := name[strings.LastIndexByte(name, '.')+1:], map[string]string{}
		var lasts []string
		for _, k := range known {
			part := k[strings.LastIndexByte(k, '.')+1:]
			lasts, parts[part] = append(lasts, part), k
		}
		guess = parts[nearest.Name(last, lasts)]
	}
	if guess == "" {
		return shown(name) + " is unknown; docs/repository-file.md lists what the file may have"
	}
	return shown(name) + " is unknown; did you mean " + guess + "?"
}

// plainSpelling is a name without what other styles of names write differently: MIN_SEVERITY, min-severity, minSeverity.
func plainSpelling(name string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(name))
}

// setting reads the value of a setting.
func (r *reader) setting(name string, at policy.Place, n ast.Node) {
	if slices.ContainsFunc(r.file.Values, func(v policy.FileValue) bool { return v.Name == name }) {
		r.refuse(at, name+" is there twice; the first one counts")
		return
	}
	typ := policy.ValueTypeOf(name)
	value, ok := scalar(n)
	if typ.Type == "array" {
		value, ok = textList(n)
	}
	if !ok || !typ.Holds(value) {
		r.refuse(at, name+" "+typ.Want())
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		r.refuse(at, name+" "+typ.Want())
		return
	}
	if wrong := policy.CheckValue(name, raw); len(wrong) > 0 {
		r.refuse(entryPlace(n, wrong[0].Pointer, at), name+" "+wrong[0].Message)
		return
	}
	if list, is := value.([]string); is && !r.room(name, at, len(list)) {
		return
	}
	r.file.Values = append(r.file.Values, policy.FileValue{Place: at, Name: name, Value: raw})
}

// entryPlace returns the place of the list entry at the end of a pointer, or at if the pointer names another place.
func entryPlace(n ast.Node, pointer string, at policy.Place) policy.Place {
	list, ok := n.(*ast.SequenceNode)
	i, err := strconv.Atoi(pointer[strings.LastIndexByte(pointer, '/')+1:])
	if !ok || err != nil || i < 0 || i >= len(list.Values) {
		return at
	}
	return placeOf(list.Values[i])
}

// room counts path patterns, and refuses the entry that goes beyond the bound.
func (r *reader) room(name string, at policy.Place, n int) bool {
	if r.paths += n; r.paths > maxPaths {
		r.paths -= n
		r.refuse(at, fmt.Sprintf("%s goes beyond %d path patterns in the file", name, maxPaths))
		return false
	}
	return true
}

// scalar decodes a value that is not a list or group: bool, int64, float64 or string.
func scalar(n ast.Node) (any, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.IntegerNode:
		v, err := strconv.ParseInt(n.GetToken().Value, 10, 64)
		return v, err == nil
	}
	return nil, false
}

// textList decodes a list of texts.
func textList(n ast.Node) ([]string, bool) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, false
	}
	out := []string{}
	for _, v := range list.Values {
		one, _ := scalar(v)
		text, is := one.(string)
		if !is {
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}
