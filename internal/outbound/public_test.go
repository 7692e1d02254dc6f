package outbound

import "testing"

func TestWellFormed(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]struct{ any, public bool }{
		"https://models.example.com/v1":     {true, true},
		"https://models.example.com:8443":   {true, false},
		"https://8.8.8.8/v1":                {true, true},
		"http://models.example.com/v1":      {true, false},
		"http://localhost:11434/v1":         {true, false},
		"https://localhost":                 {true, false},
		"https://a.localhost":               {true, false},
		"https://10.1.2.3":                  {true, false},
		"https://[fd00::1]/v1":              {true, false},
		"https://127.0.0.1":                 {true, false},
		"https://169.254.169.254/latest":    {false, false},
		"https://[fe80::1%25eth0]/":         {false, false},
		"https://0x7f.1/":                   {false, false},
		"https://127.1/":                    {false, false},
		"https://user:pass@example.com/":    {false, false},
		"ftp://example.com/":                {false, false},
		"https:///v1":                       {false, false},
		"https://exa mple.com/":             {false, false},
		"https://bücher.example/":           {false, false},
		"https://example.com:99999/":        {false, false},
		"https://[::ffff:169.254.169.254]/": {false, false},
	} {
		if err := WellFormed(raw, false); (err == nil) != want.any {
			t.Errorf("%s: %v", raw, err)
		}
		if err := WellFormed(raw, true); (err == nil) != want.public {
			t.Errorf("%s, public only: %v", raw, err)
		}
	}
}
