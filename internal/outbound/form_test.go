package outbound

import (
	"errors"
	"testing"
)

func TestCheckForm(t *testing.T) {
	t.Parallel()
	strict := New(Policy{LoopbackPorts: []int{4000}})
	open := New(Policy{AllowHTTP: true, AllowedHosts: []string{"10.0.0.7", "gitlab.internal"}})
	for raw, want := range map[string]struct{ strict, open bool }{
		"https://gitlab.example":            {true, true}, // it does not resolve, which only the dial checks
		"https://gitlab.example/group":      {true, true},
		"https://8.8.8.8":                   {true, true},
		"https://10.0.0.7":                  {false, true},
		"http://10.0.0.7":                   {false, true},
		"http://gitlab.internal":            {false, true},
		"https://169.254.169.254":           {false, false},
		"https://[fe80::1]":                 {false, false},
		"https://[fd00:ec2::254]/latest":    {false, false},
		"https://[::ffff:169.254.169.254]":  {false, false},
		"https://100.100.100.200":           {false, false},
		"https://0.0.0.0":                   {false, false},
		"https://2852039166":                {false, false},
		"https://0xa9fea9fe":                {false, false},
		"http://127.0.0.1:4000":             {true, false},
		"http://127.0.0.1:4001":             {false, false},
		"https://user@gitlab.example":       {false, false},
		"https://gitlab.example#x":          {false, false},
		"https://gitlab.example\\@evil.com": {false, false},
		"ftp://gitlab.example":              {false, false},
		"gitlab.example":                    {false, false},
		"https://":                          {false, false},
		"https://git lab.example":           {false, false},
		"https://gitlab.example:99999":      {false, false},
		"":                                  {false, false},
	} {
		for name, c := range map[string]struct {
			factory *Factory
			ok      bool
		}{"strict": {strict, want.strict}, "open": {open, want.open}} {
			err := c.factory.CheckForm(raw)
			if (err == nil) != c.ok {
				t.Errorf("%s policy, %q: %v", name, raw, err)
			}
			var refused *RefusedError
			if err != nil && (!errors.As(err, &refused) || refused.Reason == "") {
				t.Errorf("%q: %v is not a refusal with a reason", raw, err)
			}
		}
	}
}
