package config

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/caarlos0/env/v11"

	"github.com/assay-dev/assay/internal/nearest"
)

// maxFile is the maximum size of configuration files and secret files, in bytes.
const maxFile = 1 << 20

// Options name the sources of the configuration.
type Options struct {
	Environ []string // as os.Environ returns it
	File    string   // path of the YAML file; "" = ASSAY_CONFIG, and none if that is unset
}

// Load fills the defaults from the file and then from the environment, and validates the result. The error
// is a [Problems] with all defects; it never contains the value of a setting.
func Load(o Options) (Config, error) {
	c := Default()
	c.origins = map[string]origin{}
	vars := map[string]string{}
	for _, kv := range o.Environ {
		if k, v, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(k, envPrefix) {
			vars[k] = v
		}
	}
	if o.File == "" {
		o.File = vars[envPrefix+"CONFIG"]
	}
	var problems Problems
	if o.File != "" {
		problems = append(problems, c.loadFile(o.File)...)
	}
	problems = append(problems, c.loadEnv(vars)...)
	if c.MetricsListen == "off" {
		c.MetricsListen = ""
	}
	if invalid, ok := c.Validate().(Problems); ok { //nolint:errorlint // Validate returns exactly this type
		problems = append(problems, invalid...)
	}
	if len(problems) > 0 {
		return c, problems
	}
	return c, nil
}

// Unknown returns the ASSAY_… variables that match no setting, each with the nearest name if one is
// similar. They are not errors, because other programs share the prefix.
func (c *Config) Unknown() []string { return c.unknown }

func (c *Config) loadEnv(vars map[string]string) (problems Problems) {
	known := map[string]bool{envPrefix + "CONFIG": true, envPrefix + "CONTRACTS": true}
	for _, l := range leaves() {
		known[l.env] = true
		value, place := vars[l.env], l.env
		if l.secret != "" {
			known[l.env+"_FILE"] = true
			if path := vars[l.env+"_FILE"]; path != "" {
				place = l.env + "_FILE"
				if value != "" {
					problems = append(problems, l.problem(place, "is set together with "+l.env+": set one of them"))
					continue
				}
				var err error
				if value, err = readSecretFile(path); err != nil {
					problems = append(problems, l.problem(place, "names a file that cannot be used: "+err.Error()))
					continue
				}
			}
		}
		if value == "" {
			continue
		}
		if err := c.set(l, value); err != nil {
			problems = append(problems, l.problem(place, l.want()))
			continue
		}
		c.origins[l.env] = origin{FromEnv, place}
	}
	for name := range vars {
		if !known[name] && !strings.HasPrefix(name, envPrefix+"TEST_") {
			c.unknown = append(c.unknown, name+guess(name, known))
		}
	}
	slices.Sort(c.unknown)
	return problems
}

// set parses one value into its field. Lists are separated by commas.
func (c *Config) set(l leaf, value string) error {
	if l.isList() {
		words := strings.Split(value, ",")
		for i := range words {
			words[i] = strings.TrimSpace(words[i])
		}
		value = strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ",")
	}
	return env.ParseWithOptions(c, env.Options{Prefix: envPrefix, Environment: map[string]string{l.env: value}})
}

// readSecretFile returns the content of a file, decoded from UTF-16 if it has that mark, without the byte
// order mark and the line end that editors add. Errors name the path and never the content.
func readSecretFile(path string) (string, error) {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(withoutMark(raw), "\r\n")
	switch {
	case len(raw) > maxFile:
		return "", fmt.Errorf("%s is larger than 1 MiB", path)
	case text == "":
		return "", fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

// withoutMark returns a text in UTF-8 without its byte order mark.
func withoutMark(raw []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	case !bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		return strings.TrimPrefix(string(raw), "\ufeff")
	}
	var units []uint16
	for at := 2; at+1 < len(raw); at += 2 {
		units = append(units, order.Uint16(raw[at:]))
	}
	return string(utf16.Decode(units))
}

// guess returns " (did you mean …?)" if a known name is similar, otherwise "".
func guess(name string, known map[string]bool) string {
	best := nearest.Name(name, slices.Sorted(maps.Keys(known)))
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}
