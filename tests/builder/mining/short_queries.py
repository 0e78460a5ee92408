"""A hundred short queries each of four languages, as people type them into a shop or a manual.

Written for these tests. Names, numbers and words that several languages share are among them, as
in every log; so are letters without their accents.
"""

EN = """red shoes; shoes red; running shoes women; pearl ring; pearl earrings; green steel ring
rose gold necklace; black leather ring; silver chain; watch strap; winter jacket; kids bike
iphone charger; usb c cable; laptop stand; coffee maker; water bottle; garden hose; led lamp
office chair; standing desk; wood table; bed frame; cheap sofa; bath towel; kitchen knife
pizza oven; bread tin; tea pot; wine glass; beer mug; cat food; dog bed; fish tank
yoga mat; tennis racket; golf balls; football boots; swim goggles; tent for two; sleeping bag
sort a list; read a file; read csv file; string to int; open url; parse json; regex match
print without newline; copy a dictionary; merge two lists; current time; random number
thread pool; send email; zip files; list comprehension; decorator with arguments; unit test
import error; type hints; class variable; read line by line; reverse a string; sum of list
blue jeans; wool socks; rain coat; sun hat; leather belt; gift for mum
birthday card; wrapping paper; ink pen; school bag; hard drive; wireless mouse; screen protector
phone case; game console; board game; toy train; doll house; baby stroller; car seat; bike lock
tire pump; engine oil; paint brush; drill bit; hand saw; wall plug; door handle; light bulb
how to clean a ring; what is a tuple; best camera under 500; where to buy stamps; free shipping
return policy"""

DE = """rote schuhe; laufschuhe damen; perlenkette; ring silber; goldkette; lederband uhr
winterjacke herren; kinderfahrrad; handy ladekabel; laptop ständer; kaffeemaschine; trinkflasche
gartenschlauch; led lampe; bürostuhl; schreibtisch; holztisch; bettgestell; billiges sofa
badetuch; küchenmesser; pizzaofen; brotbackform; teekanne; weinglas; bierkrug; katzenfutter
hundebett; aquarium; vogelkäfig; yogamatte; tennisschläger; golfbälle; fussballschuhe
schwimmbrille; zelt für zwei; schlafsack; liste sortieren; datei lesen; csv datei einlesen
text in zahl umwandeln; url öffnen; json lesen; regulärer ausdruck; ausgabe ohne zeilenumbruch
wörterbuch kopieren; zwei listen verbinden; aktuelle uhrzeit; zufallszahl; e-mail senden
dateien packen; fehler beim import; zeile für zeile lesen; text umdrehen
summe einer liste; blaue jeans; weisses hemd; wollsocken; regenmantel; sonnenhut; ledergürtel
geschenk für mama; geburtstagskarte; geschenkpapier; kugelschreiber; schulranzen; festplatte
funkmaus; schutzfolie; handyhülle; spielkonsole; brettspiel; holzeisenbahn; puppenhaus
kinderwagen; kindersitz auto; fahrradschloss; luftpumpe; motoröl; pinsel; bohrer; handsäge; dübel
türgriff; glühbirne; ring reinigen; was ist ein tupel; beste kamera bis 500
wo briefmarken kaufen; kostenloser versand; rückgabe; wie lange dauert die lieferung
grüner ring; matratze 90x200; staubsauger; waschmaschine; regal weiss; vorhang; teppich rund
bluse"""

FR = """chaussures rouges; baskets femme; collier de perles; bague argent; chaîne en or
bracelet cuir montre; veste d'hiver homme; vélo enfant; chargeur téléphone; support ordinateur
machine à café; gourde; tuyau d'arrosage; lampe led; chaise de bureau; bureau debout
table en bois; cadre de lit; canapé pas cher; serviette de bain; couteau de cuisine; four à pizza
moule à pain; théière; verre à vin; chope de bière; nourriture pour chat; lit pour chien; aquarium
cage oiseau; tapis de yoga; raquette de tennis; balles de golf; chaussures de foot
lunettes de natation; tente deux places; sac de couchage; trier une liste; lire un fichier
lire fichier csv; texte en nombre; ouvrir une url; analyser json; expression régulière
afficher sans retour à la ligne; copier un dictionnaire; fusionner deux listes; heure actuelle
nombre aléatoire; envoyer un mail; compresser fichiers; variable de classe; erreur d'import
lire ligne par ligne; inverser une chaîne; somme d'une liste; jean bleu; chemise blanche
chaussettes en laine; imperméable; chapeau de soleil; ceinture cuir; cadeau pour maman
carte anniversaire; papier cadeau; stylo; cartable; disque dur; souris sans fil
protection écran; coque téléphone; console de jeu; jeu de société; petit train; maison de poupée
poussette; siège auto; antivol vélo; pompe à vélo; huile moteur; pinceau; foret; scie; cheville
poignée de porte; ampoule; nettoyer une bague; c'est quoi un tuple; meilleur appareil photo
où acheter des timbres; livraison gratuite; retour; bague verte; matelas 90x200; aspirateur
lave-linge; étagère blanche; rideau; tapis rond; chemisier"""

ES = """zapatos rojos; zapatillas mujer; collar de perlas; anillo de plata; cadena de oro
correa de reloj; chaqueta de invierno; bicicleta niño; cargador de móvil; soporte portátil
cafetera; botella de agua; manguera de jardín; lámpara led; silla de oficina; escritorio
mesa de madera; somier; sofá barato; toalla de baño; cuchillo de cocina; horno de pizza
molde de pan; tetera; copa de vino; jarra de cerveza; comida para gatos; cama para perro; acuario
jaula de pájaros; esterilla de yoga; raqueta de tenis; pelotas de golf; botas de fútbol
gafas de natación; tienda para dos; saco de dormir; ordenar una lista; leer un archivo
leer archivo csv; texto a número; abrir url; analizar json; expresión regular
imprimir sin salto de línea; copiar diccionario; unir dos listas; hora actual; número aleatorio
enviar correo; comprimir archivos; variable de clase; error de importación; leer línea por línea
invertir cadena; suma de lista; vaqueros azules; camisa blanca; calcetines de lana; impermeable
sombrero de sol; cinturón de cuero; regalo para mamá; tarjeta de cumpleaños; papel de regalo
bolígrafo; mochila escolar; disco duro; ratón inalámbrico; protector de pantalla; funda móvil
consola de juegos; juego de mesa; tren de juguete; casa de muñecas; cochecito bebé; silla de coche
candado bicicleta; bomba de aire; aceite de motor; pincel; broca; sierra; manija de puerta
bombilla; limpiar un anillo; qué es una tupla; mejor cámara; dónde comprar sellos; envío gratis
devoluciones; anillo verde; colchón 90x200; aspiradora; lavadora; estante blanco; cortina
alfombra redonda; blusa; perfume"""


def queries(block: str) -> list[str]:
    """The queries of one language."""
    return [query.strip() for line in block.splitlines() for query in line.split(";")]


SHORT_QUERIES = {"en": queries(EN), "de": queries(DE), "fr": queries(FR), "es": queries(ES)}
