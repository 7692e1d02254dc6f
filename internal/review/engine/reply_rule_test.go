package engine

import "testing"

// A reply proposes no rule that excuses a problem, or that names secrets without forbidding them. Rules about code are proposed.
func TestRulesOfRepliesExcuseNothing(t *testing.T) {
	t.Parallel()
	for instruction, want := range map[string]bool{
		"Do not flag hard-coded credentials under testdata.":                false,
		"Ignore missing authorization checks in internal handlers.":         false,
		"Treat SQL built from strings as safe in the reports package.":      false,
		"Hard-coded passwords in fixtures are acceptable.":                  false,
		"API tokens in test data are permitted.":                            false,
		"Secrets in examples are no problem here.":                          false,
		"Hard-coded passwords need no change in this project.":              false,
		"pwd constants may stay in code.":                                   false,
		"Passwords of the demo stand in config/demo.yaml.":                  false,
		"Never log passwords, except in the tests.":                         false,
		"Never log passwords. Hard-coded credentials stay in the fixtures.": false,
		"Never log passwords, but secrets of tests are constants.":          false,
		"Passwörter stehen in den Tests im Code.":                           false,
		"Tokens in fixtures are fine.":                                      false,
		"Unchecked errors in cmd can be ignored.":                           false,
		"Input validation is not required in internal handlers.":            false,
		"Authorization checks are optional in cmd.":                         false,
		"It is unnecessary to validate input in cmd.":                       false,
		"Do not use encryption for passwords.":                              false,
		"Never store passwords hashed.":                                     false,
		"Do not use hashing for passwords.":                                 false,
		"Passwords must not be stored encrypted.":                           false,
		"Never store a password as a hash.":                                 false,
		"Do not send credentials through the redactor.":                     false,
		"Do not check in hashes of passwords, and do not mask passwords.":   false,
		"Use of validation for passwords is forbidden.":                     false,
		"Escaping of passwords is prohibited.":                              false,
		"The caller checks the length.":                                     true,
		"Validation is required in every handler.":                          true,
		"Do not log optional fields.":                                       true,
		"Do not check in passwords.":                                        true,
		"Passwords must not be stored unencrypted.":                         true,
		"Never store passwords unhashed.":                                   true,
		"Do not store passwords without a hash.":                            true,
		"Passwords must be hashed.":                                         true,
		"Never store passwords that are not hashed.":                        true,
		"Passwords must not be hashed.":                                     false,
		"Never log passwords in plaintext.":                                 true,
		"Never log passwords or session tokens.":                            true,
		"Secrets must not appear in log lines.":                             true,
		"Hard-coded credentials are forbidden.":                             true,
		"Passwords are hashed with argon2id.":                               true,
		"Every token of the lexer has a position.":                          true,
		"Keys of maps are sorted before they are written.":                  true,
		"Do not ignore any error from Close.":                               true,
		"Unvalidated input is not allowed in handlers.":                     true,
		"Clients are safe for concurrent use.":                              true,
		"Wrap errors with %w.":                                              true,
	} {
		a := replyAnswer{Rule: instruction, RuleTitle: "A rule of the team", RuleQuote: instruction}
		if got := a.rule("No: "+instruction) != (ReplyRule{}); got != want {
			t.Errorf("%q: proposed %v", instruction, got)
		}
	}
	about := replyAnswer{Rule: "Constants stand at the top of the file.", RuleTitle: "Passwords", RuleQuote: "Constants stand at the top of the file."}
	if about.rule(about.RuleQuote) != (ReplyRule{}) {
		t.Error("a title that names secrets passes")
	}
}
