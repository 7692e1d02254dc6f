package config

import "strings"

// Problem is one defect of the configuration.
type Problem struct {
	Name    string // path in the file; "" if the problem is the file itself
	Env     string // variable of the environment
	Place   string // source of the value; "" for a default
	Message string // the defect and the expected form, without the value
}

// String returns the setting, the place and the message.
func (p Problem) String() string {
	subject := p.Env
	if subject == "" {
		subject = p.Name
	} else if p.Name != "" {
		subject += " (" + p.Name + ")"
	}
	switch {
	case subject == "":
		return p.Place + ": " + p.Message
	case p.Place != "" && p.Place != p.Env:
		return p.Place + ": " + subject + " " + p.Message
	}
	return subject + " " + p.Message
}

// Problems are all defects of a configuration.
type Problems []Problem

// Error lists one problem per line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func (l leaf) problem(place, message string) Problem {
	return Problem{Name: l.name, Env: l.env, Place: place, Message: message}
}
