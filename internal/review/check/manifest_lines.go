package check

import (
	"encoding/json"
	"strings"
)

// jsonKeys maps the keys of some objects of JSON, named by the keys around them, to their lines. The key of an entry is the path of the
// object, a zero byte and the key itself. Text behind an error is left out.
func jsonKeys(text string, objects ...string) map[string]int {
	wanted := stringSetOf(objects)
	out := map[string]int{}
	d := json.NewDecoder(strings.NewReader(text))
	type level struct {
		path  string
		isKey bool // the next token is a key
		inMap bool
	}
	stack := []level{{}}
	line, at := 1, 0
	name := ""
	for {
		t, err := d.Token()
		if err != nil {
			return out
		}
		top := &stack[len(stack)-1]
		switch t := t.(type) {
		case json.Delim:
			if t == '}' || t == ']' {
				stack = stack[:len(stack)-1]
				continue
			}
			path := name
			if top.path != "" {
				path = top.path + "\x00" + name
			}
			if len(stack) > maxKeyDepth {
				path = "\x00" // deeper than any object that is wanted
			}
			if top.inMap {
				top.isKey = true
			}
			stack = append(stack, level{path, t == '{', t == '{'})
			continue
		case string:
			if top.isKey {
				top.isKey, name = false, t
				if wanted[top.path] {
					to := int(d.InputOffset())
					line += strings.Count(text[at:to], "\n")
					at = to
					out[top.path+"\x00"+t] = line
				}
				continue
			}
		}
		top.isKey = top.inMap
	}
}

// maxKeyDepth is the most objects around a key whose line is looked for.
const maxKeyDepth = 4

func stringSetOf(list []string) map[string]bool {
	out := map[string]bool{}
	for _, s := range list {
		out[s] = true
	}
	return out
}

// npmKinds are the objects of package.json with dependencies, the one that counts first.
var npmKinds = []string{"optionalDependencies", "devDependencies", "dependencies"}

// npmLines returns a function that returns the line of a dependency. within is the path of the object around the kinds, "" for the file.
func npmLines(text, within string) func(name string) int {
	var objects []string
	for _, kind := range npmKinds {
		objects = append(objects, within+kind)
	}
	keys := jsonKeys(text, objects...)
	return func(name string) int {
		for _, o := range objects {
			if line := keys[o+"\x00"+name]; line > 0 {
				return line
			}
		}
		return 0
	}
}
