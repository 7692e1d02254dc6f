package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/secret"
)

const envPrefix = "ASSAY_"

// Sources of a setting's value.
const (
	FromDefault = "default"
	FromFile    = "file"
	FromEnv     = "env"
)

// origin is the source of a value.
type origin struct{ source, place string }

// Setting is one line of the effective configuration.
type Setting struct {
	Name    string // path in the file, such as jobs.lease
	Env     string // variable of the environment
	Value   string // as text; secrets are redacted
	Default string // as text
	Source  string // FromDefault, FromFile or FromEnv
	Place   string // file with line and column, or variable; "" for a default
	Doc     string
	Secret  bool // also accepts …_FILE
}

// leaf is one setting, found by reflection.
type leaf struct {
	name, env, doc, secret string
	index                  []int
	typ                    reflect.Type
}

// leaves lists every setting in the order of the struct.
func leaves() []leaf { return walk(reflect.TypeFor[Config](), envPrefix, "", nil) }

func walk(t reflect.Type, env, name string, index []int) (out []leaf) {
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		at := append(append([]int(nil), index...), i)
		key := name + f.Tag.Get("yaml")
		if p := f.Tag.Get("envPrefix"); p != "" {
			out = append(out, walk(f.Type, env+p, key+".", at)...)
			continue
		}
		out = append(out, leaf{name: key, env: env + f.Tag.Get("env"), doc: f.Tag.Get("doc"), secret: f.Tag.Get("secret"), index: at,
			typ: f.Type})
	}
	return out
}

// Effective returns every setting with its value and source, in the order of the documentation. The result
// contains no secrets.
func (c *Config) Effective() []Setting {
	standard := Default()
	var out []Setting
	for _, l := range leaves() {
		s := Setting{Name: l.name, Env: l.env, Doc: l.doc, Secret: l.secret != "", Source: FromDefault}
		s.Value, s.Default = l.show(c), l.show(&standard)
		if o, ok := c.origins[l.env]; ok {
			s.Source, s.Place = o.source, o.place
		}
		out = append(out, s)
	}
	return out
}

// show returns the value of the setting in a configuration, without secrets.
func (l leaf) show(c *Config) string {
	v := reflect.ValueOf(c).Elem().FieldByIndex(l.index).Interface()
	switch x := v.(type) {
	case secret.Secret:
		if l.secret == "url" && x.IsSet() {
			return c.shownURL(l.name, x.Reveal())
		}
		return x.String()
	case []string:
		return strings.Join(x, ",")
	case time.Duration:
		return shortDuration(x)
	case fmt.Stringer:
		return x.String()
	default:
		return fmt.Sprint(x)
	}
}

// shortDuration formats "10m0s" of time.Duration as "10m".
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// want describes the expected values of a setting, for errors.
func (l leaf) want() string {
	switch l.typ {
	case reflect.TypeFor[time.Duration]():
		return "must be a duration such as 500ms, 30s or 10m"
	case reflect.TypeFor[Bytes]():
		return "must be a size such as 64KiB or 25MiB"
	case reflect.TypeFor[bool]():
		return "must be true or false"
	case reflect.TypeFor[int](), reflect.TypeFor[int64]():
		return "must be a whole number"
	}
	return "has a value that cannot be read"
}

func (l leaf) isList() bool { return l.typ.Kind() == reflect.Slice }
