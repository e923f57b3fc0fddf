"""Words and marks by which secrets are known: what keys begin with, what settings are called, what is no secret."""

# What keys of services begin with: what follows is secret, were it short, or all hexadecimal. Others: by chance.
PREFIXES = (
    r"(?:sk|pk|rk|ak)[-_](?:ant|or|proj|live|test|prod|lf)?[-_]?|gh[pousr]_|github_pat_|gl[a-z]{2,5}-"
    r"|xox[a-z]{1,2}-|xapp-"
    r"|(?:A[KSB]IA|ACCA|A3T[A-Z])(?=[A-Z0-9]{16}\b)|AIza|ya29\.|1//0|GOCSPX-|(?:hf|npm|gsk|whsec|lsv2|dop_v1"
    r"|doo_v1|dor_v1|shp[a-z]{2,3}|r8|glsa"
    r"|sbp|rubygems|dckr_pat|pul|figd|ntn|phc|sntry[su]|wandb_v1|rzp_live|rzp_test|fo1|pscale_\w{2,6}"
    r"|lin_\w{3,5}|api_org)[_-]"
    r"|(?:pypi|xai|key|xkeysib|xsmtpsib|nvapi|tvly|PMAK|NRAK|NRJS|NRII|HRKU|FLWSECK(?:_TEST)?|sq0[a-z]{3}"
    r"|AGE-SECRET-KEY)-"
    r"|SG\.|hv[sbr]\.|dapi(?=[0-9a-f]{32})|SK(?=[0-9a-f]{32}\b)|EAA[A-Z]|AT(?:ATT|CTT|BB)|AKCp|LTAI|p8e-"
    r"|v1\.0-(?=[0-9a-f]{24}-)|eyJ"
)

# What a password is called. Whatever is set, or said to be one, is left out.
PASSWORDS = (
    "pass[ _-]?(?:wor[dt]|wd|phrase|code|key)|passwort|kennwort|passord|losenord|lösenord|adgangskode|kodeord|salasana"
    "|wachtwoord|mots? de passe|contrase[ñn]a|palavra[- ]passe|senha|parola(?: d'ordine)?|has[łl]o|heslo"
    "|jelsz(?:[óo]|ava)|[şs]ifre(?:si|miz|niz|m|n)?|parolas[ıi]"
    "|κωδικός|пароль|пароля|паролем|密码|密碼|口令|パスワード|暗証番号|비밀번호"
    "|암호|كلمة المرور|كلمة السر|סיסמה|סיסמא|mật khẩu"
    "|รหัสผ่าน|पासवर्ड"
    "|lozinka|šifra|geslo|parolă|slaptažodis|parool|kata sandi|requirepass|masterauth|(?:root|bind|admin|user|db)pw|pwd"
)
# What is one only with a sign of assignment behind it, since it is also a word or a part of words.
SHORT_PASSWORDS = "pass|passwd|pw|psw|psk|mdp|pswd|clave"
# What other secrets are called; a word is none.
SECRETS = (
    "secret|token|credential|creds?|bearer|api[ _-]?key|app[ _-]?key|(?:access|account|auth|client|consumer"
    "|customer|data|deploy|encryption"
    "|hmac|jwt|licen[cs]e|master|private|root|session|shared|shared[ _-]?access|signing|ssh|storage|webhook"
    "|write|admin|service|bot|user"
    "|primary|secondary|recovery|host|subscription|functions|integration|routing|ingestion)[ _-]?key"
    "|authorization|_auth|auth|passin|passout|webhook[ _-]?url"
)
# What is secret only where nobody would have written it by hand.
WEAK = (
    "key|signature|phpsessid|jsessionid|sig|hmac|sid|sessionid|session|sess|nonce|salt|seed|cookie|code|pat|otp"
    "|jwt|pin|license|dsn"
)

# What comes last in a name that tells something else of a secret than the secret.
ABOUT = (
    "names?|ids?|files?|paths?|dir|folder|urls?|uris?|type|kind|counts?|len|length|limit|size|min|max|hint"
    "|field|label|polic(?:y|ies)"
    "|reset|expir\\w*|ttl|lifetime|managers?|provider|store|prompt|format|class|cls|validators?|version"
    "|status|errors?|env|var|ref|arn"
    "|mode|budget|usage|index|offset|prob\\w*|required|enabled|ids?_to|text|input|age|days|at|by|for|in|of"
    "|strength|rules?|s"
)
# What stands where a value would, and is none.
NO_VALUES = frozenset(
    "none null nil true false str string int bool bytes float any optional required undefined unset empty"
    " unknown missing hidden"
    " redacted omitted removed masked text password passwort kennwort secret token input value default"
    " varchar char number object"
    " self this the a an your our my his her their its not no yes ok valid invalid wrong correct incorrect"
    " required stored"
    " encrypted hashed expired changed reset set used needed sent here there below above following same"
    " different safe secure"
    " weak strong short long old new case both only also still never always now then that which what who when"
    " where why how and or but"
    " if for from with without in on at to of by as be been being was were is are has have had must may can"
    " could should would will"
    " bearer basic digest negotiate ntlm prompt enter type static final const let var def return import async"
    " await new".split()
)
ADJECTIVE = (
    r"(?i)(?:\w{2,}(?:ed|ing|able|ible|ly|ful|less|ive|ous|al|ten|lich|bar|iert|ert|falsch|richtig|é|ée|ado|ido"
    r"|ada|ida))"
)
