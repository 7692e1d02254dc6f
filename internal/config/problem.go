package config

import "strings"

// Problem is one thing that is wrong with the configuration.
type Problem struct {
	Name    string // path in the file; "" when it is about the file itself
	Env     string // variable of the environment
	Place   string // where the value came from, "" for a default
	Message string // what is wrong and what would be right, without the value
}

// String names the setting, the place and what would be right.
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

// Problems is everything that is wrong at once.
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
