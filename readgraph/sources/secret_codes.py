"""Codes for one use, and the words from which a wallet is restored."""

from readgraph.sources.secret_forms import form

_NAME = (
    r"(?:(?:verification|security|one[- ]time|log-?in|access|confirmation|authenti\w{2,8}|authori\w{2,8}|sms"
    r"|2fa|mfa|otp"
    r"|pass|sign[- ]?in|backup|recovery|activation|pairing|unlock|reset|your|ihr|dein)[ -](?:pass)?code"
    r"|one[- ]time (?:password|pin)|\b(?:otp|totp|passcode|tan|pin(?:[- ]?code)?)"
    r"|(?:bestätigungs|sicherheits|einmal|verifizierungs|anmelde|freischalt)\w{0,3}(?:code|kennwort|passwort|pin)"
    r"|code (?:de |d['’])(?:vérification|sécurité|confirmation|connexion|accès|validation)"
    r"|c[óo]digo (?:de )?(?:verifica\w{1,9}|seguridad|segurança|confirma\w{1,9}|acceso|acesso)"
    r"|codice (?:di )?(?:verifica|sicurezza|conferma|accesso)|(?:verificatie|beveiligings)code"
    r"|kod (?:weryfikacyjny|bezpieczeństwa)|код(?: \w{1,20})?|验证码|驗證碼|校验码"
    r"|認証コード|確認コード|인증 ?(?:번호|코드))"
)
_DIGITS = r"(?P<w>(?:[A-Z]-)?\d{4,8}|\d{3}[ -]\d{3}|\d{2}(?:[ -]\d{2}){2})(?![\d.,]?\d|[-/:]\d)"
_TOLD = (
    r"(?: (?!is|ist)[^\W\d]{1,20}){0,3}?[\"']?\s{0,2}(?:is|ist|lautet|est|es|é|è|jest|:|：|=|-|—|是|为|為|は|은"
    r"|는)?\s{0,3}[\"'`*(\[]{0,3}"
)
_LISTED = r"(?=[a-z-]{0,15}\d)[\w-]{6,24}"

CODES = (
    form("code,digo,otp,pin,tan,codice,kod,код,验证码,驗證碼,校验码,コード,인증", _NAME + _TOLD + _DIGITS),
    form("—,–", rf"(?<![\w.,/:-]){_DIGITS}(?= [—–] (?:your|ihr|votre|su|ваш|il tuo|twój)\b)"),
    form(
        " is , ist , est , es , é , è , to ",
        rf"(?<![\w.,/:-]){_DIGITS}(?=[\"'`*\])]{{0,3}} (?:(?:is|ist|est|es|é|è) (?:your|ihr|dein|votre|ton|su"
        rf"|tu|o seu|il tuo)\b|to (?:sign|log)[ -]?in\b|to (?:verify|confirm)\b))",
    ),
    form(
        "code,digo,codice,kod,код",
        r"(?:^|[.!?,;]|\b(?:your|the|my|el|su|tu|votre|ton|le|ihr|dein|der|il|tuo|suo|twój|ваш|seu|uw|je)\s)\s{0,3}"
        r"(?:code|c[óo]digo|codice|kod|код)\s{0,2}(?:(?:is|ist|lautet|est|es|é|è|to|jest|:|：|—|-)\s{1,3})(?P<w>\d{6})(?!\d)",
    ),
    form(
        "codes",
        rf"(?:backup|recovery|rescue|scratch|emergency) codes\b[^\n:]{{0,40}}:\s{{1,4}}"
        rf"(?P<w>(?:{_LISTED}[\s,;]{{1,4}}){{0,20}}{_LISTED})",
    ),
    form(
        "seed,mnemonic,phrase,words",
        r"\b(?:seed|mnemonic|(?:recovery|backup|secret|wallet) (?:phrase|words"
        r"|seed))\b[\w ]{0,40}?(?:\s?[:=]+\s{0,4}|\s(?:is|are):?\s|(?=[\s\"']{1,3}[\"']))"
        r"[\s\"']{0,3}(?P<w>(?:\d{0,2}[.)]?\s?[a-z]{3,8}[\s,]{1,3}){11,23}\d{0,2}[.)]?\s?[a-z]{3,8})\b",
    ),
    form("pass", r"\b[a-z0-9_]{0,40}pass(?:phrase|word)?=(?P<w>(?:[a-z]{2,30} ){2,12}[a-z]{2,30})(?=\s{0,4}(?:\n|$))"),
)
